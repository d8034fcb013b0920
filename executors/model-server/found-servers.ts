import { z } from 'zod';
import { servedModelName } from '../../contract/explanations/executor.ts';
import { withinMs } from '../../formats/followed-signal.ts';
import { httpFetch } from '../../formats/http-fetch.ts';
import type { Environment } from '../process/tools.ts';
import { boundedBody, type HostedProvider, hostedProvider, refusedIn } from './hosted-provider.ts';
import { serverProgramAt } from './server-programs.ts';

/** The address of Ollama unless its user moved it; it serves the interface of OpenAI below `/v1`. */
export const ollama = 'http://127.0.0.1:11434/v1';
/**
 * How long a model server may take to say that it is there, in ms. One that is absent refuses at once; one on a busy machine was missed
 * within a second.
 */
export const serverMs = 5_000;
/** More models than a person chooses from. */
const mostModels = 100;

/** As many bytes as their list may have: thousands of models. */
const listBytes = 1024 * 1024;

const modelList = z.object({ data: z.array(z.object({ id: z.unknown() })).default([]) });

/** The models of a server; null if none answers there, or not with such a list. Never sends a key. */
export async function modelsAt(server: string): Promise<readonly string[] | null> {
  try {
    return await withinMs(serverMs, async (signal) => {
      const answer = await httpFetch(`${server}/models`, { signals: [signal], redirect: 'manual' });
      if (!answer.ok) {
        await answer.body?.cancel();
        return null;
      }
      const { data } = modelList.parse(JSON.parse(String(await boundedBody(answer, listBytes))));
      return data.flatMap(({ id }) => servedModelName.safeParse(id).data ?? []).slice(0, mostModels);
    });
  } catch {
    return null;
  }
}

/** A model server of this machine with its models. */
export interface FoundServer {
  readonly server: string;
  readonly models: readonly string[];
}

/**
 * The models of a server that may translate; null if none answers there. A server that states no abilities has all of its models
 * judged by their names, and one that wants a key has none.
 */
async function translatorsAt(server: string): Promise<readonly string[] | null> {
  const found = await serverProgramAt(server, null);
  if (found === null || 'refused' in found) return modelsAt(server);
  return found.models.flatMap(({ name, use }) => (use === 'translator' ? [name] : []));
}

/**
 * The model servers of this machine that answer, with the models that may translate. These are the server that the environment or the
 * settings name, and that of Ollama.
 */
export async function foundServers(environment: Environment): Promise<readonly FoundServer[]> {
  const named = environment.OPENAI_BASE_URL === undefined ? null : hostedProvider(environment);
  const known = named !== null && 'baseUrl' in named && named.isLocal ? [named.baseUrl] : [];
  const servers = [...new Set([...known, ollama])];
  const found = await Promise.all(servers.map(async (server) => ({ server, models: await translatorsAt(server) })));
  return found.flatMap(({ server, models }) => (models === null ? [] : [{ server, models }]));
}

const keyRemedy =
  'name the server by OPENAI_BASE_URL of the environment, and its key by OPENAI_API_KEY; or put the key into a file of mode 0600: media-study engines add NAME --server URL --key-file FILE';

/** Words of a server that takes a key, and only does not let it list models. */
const ofListing = /scope|permission/i;

/** The fault of a model server, and what to do about it. */
interface ServerFault {
  readonly detail: string;
  readonly remedy: string;
}

/**
 * The fault of a model server; null for one that answers, also with a redirect, which no request of a host follows. Of the refusals
 * 401 and 403 are faults, unless a key only lacks the permission to list models. Some servers have no list.
 */
export async function serverFault({ baseUrl, apiKey }: HostedProvider): Promise<ServerFault | null> {
  const headers = apiKey === null ? {} : { Authorization: `Bearer ${apiKey}` };
  try {
    const { status, words } = await withinMs(serverMs, async (signal) => {
      const answer = await httpFetch(`${baseUrl}/models`, { headers, signals: [signal], redirect: 'manual' });
      if (answer.status === 403) return { status: 403, words: String(await boundedBody(answer, listBytes)) };
      await answer.body?.cancel();
      return { status: answer.status, words: '' };
    });
    if (status !== 401 && status !== 403) return null;
    if (apiKey === null) return { detail: `the model server at ${baseUrl} needs a key`, remedy: keyRemedy };
    if (status === 403 && ofListing.test(refusedIn(words, null)?.message ?? '')) return null;
    return {
      detail: `the model server at ${baseUrl} refuses its key`,
      remedy: 'correct OPENAI_API_KEY in the environment, or the file of the key',
    };
  } catch {
    return { detail: `no model server answers at ${baseUrl}`, remedy: 'start it, or correct model-server' };
  }
}
