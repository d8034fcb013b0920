import { z } from 'zod';
import type { EngineCause } from '../../contract/causes/causes.ts';
import { causeText } from '../../contract/causes/wording.ts';
import type { FoundEngine } from '../../contract/settings.ts';
import { boundedBody, hostedProvider } from '../../executors/model-server/hosted-provider.ts';
import type { Environment } from '../../executors/process/tools.ts';
import { recognizerProgram } from '../../executors/recognition/open-recognizer.ts';
import { withinMs } from '../../formats/followed-signal.ts';
import { httpFetch } from '../../formats/http-fetch.ts';

/** The address of Ollama unless its user moved it; it serves the interface of OpenAI below `/v1`. */
export const ollama = 'http://127.0.0.1:11434/v1';
/**
 * How long a model server may take to say that it is there, in ms. One that is absent refuses at once; one on a busy machine was missed
 * within a second.
 */
export const serverMs = 5_000;
/** More models than a person chooses from. */
const mostModels = 100;

/** Settings that use an engine. */
type EngineSettings = FoundEngine['use'];

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
      return data
        .flatMap(({ id }) => (typeof id === 'string' && /^[\x21-\x7e]{1,200}$/.test(id) ? [id] : []))
        .slice(0, mostModels);
    });
  } catch {
    return null;
  }
}

/** A model server of this machine with its models. */
interface FoundServer {
  readonly server: string;
  readonly models: readonly string[];
}

/** The model servers of this machine that answer: the one that the environment or the settings name, and that of Ollama. */
async function foundServers(environment: Environment): Promise<readonly FoundServer[]> {
  const named = environment.OPENAI_BASE_URL === undefined ? null : hostedProvider(environment);
  const known = named !== null && 'baseUrl' in named && named.isLocal ? [named.baseUrl] : [];
  const servers = [...new Set([...known, ollama])];
  const found = await Promise.all(servers.map(async (server) => ({ server, models: await modelsAt(server) })));
  return found.flatMap(({ server, models }) => (models === null ? [] : [{ server, models }]));
}

const pocketsphinxOffer =
  'pocketsphinx is installed: it recognizes English speech on this machine. Nothing leaves the machine, and it costs nothing.';
const pocketsphinxSettings: EngineSettings = {
  'semantic-recognizer': 'pocketsphinx',
  'permit-recognition': true,
};

/** The missing part of an engine, for people and as data. */
const needing = (cause: EngineCause | null): Pick<FoundEngine, 'remedy' | 'cause'> => ({
  remedy: cause === null ? null : causeText(cause, 'terminal').remedy,
  cause,
});

const onThisHost: Pick<FoundEngine, 'reach' | 'mayCost' | 'models' | 'confirmation'> = {
  reach: 'this_host',
  mayCost: false,
  models: [],
  confirmation: null,
};

async function pocketsphinxOf(environment: Environment, isInUse: boolean): Promise<FoundEngine> {
  const isThere = (await recognizerProgram('pocketsphinx', environment)) !== null;
  return {
    engine: 'recognizer',
    name: 'pocketsphinx',
    ...onThisHost,
    state: isInUse ? 'in_use' : isThere ? 'found' : 'absent',
    text: isThere ? pocketsphinxOffer : 'pocketsphinx recognizes English speech on this machine. It is not installed.',
    ...needing(isThere ? null : { code: 'engine_missing', params: { engine: 'pocketsphinx', languages: [] } }),
    use: isThere && !isInUse ? pocketsphinxSettings : {},
  };
}

async function whisperOf(environment: Environment, isInUse: boolean): Promise<FoundEngine> {
  const isThere = (await recognizerProgram('whisper-cli', environment)) !== null;
  return {
    engine: 'recognizer',
    name: 'whisper-cli',
    ...onThisHost,
    state: isInUse ? 'in_use' : isThere ? 'incomplete' : 'absent',
    text: 'whisper-cli recognizes speech of many languages on this machine, with a model file of yours. Nothing leaves the machine, and it costs nothing.',
    ...needing(
      isInUse
        ? null
        : isThere
          ? { code: 'model_file_missing', params: {} }
          : { code: 'engine_missing', params: { engine: 'whisper-cli', languages: [] } },
    ),
    use: {},
  };
}

/** Settings that make captions of the subtitle tracks of two languages. */
const subtitleSettings: EngineSettings = {
  'caption-executor': 'grouped-subtitles',
  'allow-embedded-subtitle-captions': true,
};

/** Captions from subtitle tracks need nothing that is not installed. */
const subtitleTracksOf = (isInUse: boolean): FoundEngine => ({
  engine: 'captions',
  name: 'subtitle tracks',
  ...onThisHost,
  state: isInUse ? 'in_use' : 'found',
  text: 'The host pairs the subtitle tracks of two languages. No model, no network.',
  ...needing(null),
  use: isInUse ? {} : subtitleSettings,
});

/** The settings that permit a server and its model for requests that need a translation. `permitted` are the servers so far. */
const serverSettings = (server: string, model: string, permitted: readonly string[]): EngineSettings => ({
  'model-server': server,
  'caption-translation-model': model,
  'permit-server': [...new Set([...permitted, server])],
});

function serverOf(found: FoundServer, isInUse: boolean, permitted: readonly string[]): FoundEngine {
  const { server, models } = found;
  const [model] = models;
  return {
    engine: 'caption_translation',
    name: `model server at ${server}`,
    reach: 'this_machine',
    mayCost: false,
    state: isInUse ? 'in_use' : model === undefined ? 'incomplete' : 'found',
    text:
      model === undefined
        ? `A model server answers at ${server}. It has no model.`
        : `The text of captions is sent to a model server on this machine, ${server}. Whether it passes text on depends on that server.`,
    ...needing(model === undefined && !isInUse ? { code: 'model_missing', params: {} } : null),
    models: [...models],
    use: model === undefined || isInUse ? {} : serverSettings(server, model, permitted),
    confirmation: model === undefined || isInUse ? null : 'sent_to_a_server_on_this_machine',
  };
}

/** The engines that a host uses already. */
interface EnginesInUse {
  readonly recognizer: string | null;
  /** The address of the server that translates; null if none does. */
  readonly translator: string | null;
  /** The servers that text or sound may be sent to. */
  readonly permitted: readonly string[];
  /** True if it makes captions of subtitle tracks, alone or before another source of them. */
  readonly subtitleTracks: boolean;
}

/** The engines of this machine, looked for now. Asks servers on this machine alone. */
export async function findEngines(environment: Environment, inUse: EnginesInUse): Promise<readonly FoundEngine[]> {
  const [pocketsphinx, whisper, servers] = await Promise.all([
    pocketsphinxOf(environment, inUse.recognizer === 'pocketsphinx'),
    whisperOf(environment, inUse.recognizer === 'whisper-cli'),
    foundServers(environment),
  ]);
  const none: FoundEngine = {
    engine: 'caption_translation',
    name: `model server at ${ollama}`,
    state: 'absent',
    reach: 'this_machine',
    mayCost: false,
    models: [],
    use: {},
    confirmation: null,
    text: 'No model server answers on this machine, so nothing translates captions.',
    ...needing({ code: 'no_model_server', params: {} }),
  };
  const translators = servers.map((found) => serverOf(found, found.server === inUse.translator, inUse.permitted));
  return [
    subtitleTracksOf(inUse.subtitleTracks),
    pocketsphinx,
    whisper,
    ...(translators.length === 0 ? [none] : translators),
  ];
}
