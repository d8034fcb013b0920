import { z } from 'zod';
import { servedModelName } from '../../contract/explanations/executor.ts';
import { withinMs } from '../../formats/followed-signal.ts';
import { httpFetch } from '../../formats/http-fetch.ts';
import { baseAddress, boundedBody } from './hosted-provider.ts';
import { rootOf, type SpeechInterface, speechServiceAt } from './speech-service.ts';

/** The uses of a model here. */
export type ModelUse = 'recognizer' | 'translator';

/** A model of a server. */
export interface ServedModel {
  readonly name: string;
  /** What it can be used for; null for a model of another kind, such as one that embeds texts. */
  readonly use: ModelUse | null;
}

/** A server of models, as far as its answers say what it is. */
export interface ServerProgram {
  /** The name of its program; `model server` for one that answers like many. */
  readonly program: string;
  /** The address for its requests. */
  readonly baseUrl: string;
  readonly speech: SpeechInterface;
  /** None for a program with one model that it does not name. */
  readonly models: readonly ServedModel[];
}

/** A server that wants a key, or another one. */
export interface RefusedKey {
  readonly refused: 401 | 403;
}

/** The time for all questions to one server, in ms, and the models whose abilities are asked for. */
const bounds = { ms: 10_000, models: 100, bytes: 2 * 1024 * 1024 } as const;

/** Ports of this machine on which the programs listen unless their users moved them, each with the programs. */
export const knownPorts: Readonly<Record<number, string>> = {
  8080: 'whisper-server, LocalAI, llama-server',
  8000: 'speaches, vLLM',
  9000: 'whisper-asr-webservice',
  11434: 'Ollama',
  1234: 'LM Studio',
};

const field = z.string().nullish().catch(null);

const modelList = z.looseObject({
  data: z
    .array(z.looseObject({ id: z.unknown(), task: field, owned_by: field, type: field }))
    .nullish()
    .transform((list) => list ?? []),
});

/** The list of models that Ollama has beside that of OpenAI. */
const tagList = z.looseObject({ models: z.array(z.unknown()) });

type ListedModel = z.infer<typeof modelList>['data'][number];

/** Asks one server. The key goes to the address that a person named, and is in no answer of this module. */
class Questions {
  readonly #headers: Readonly<Record<string, string>>;
  readonly #signal: AbortSignal;

  constructor(apiKey: string | null, signal: AbortSignal) {
    this.#headers = apiKey === null ? {} : { Authorization: `Bearer ${apiKey}` };
    this.#signal = signal;
  }

  /** The status, the field `Server` and the JSON of an answer; null for no answer or other JSON. */
  async ask(address: string, body?: object) {
    const answer = await httpFetch(address, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { ...this.#headers, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
      body: body === undefined ? null : JSON.stringify(body),
      signals: [this.#signal],
      redirect: 'manual',
    });
    const bytes = await boundedBody(answer, bounds.bytes);
    return { status: answer.status, program: answer.headers.get('server') ?? '', value: jsonOf(String(bytes)) };
  }

  /** The JSON of a successful answer; null for any other, and for none. */
  async valueOf(address: string, body?: object): Promise<unknown> {
    const answer = await this.ask(address, body).catch(() => null);
    return answer !== null && answer.status === 200 ? answer.value : null;
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const speechNames = /whisper|parakeet|canary|voxtral|moonshine|sensevoice|transcri|speech-to-text|\basr\b|\bstt\b/i;
const otherNames =
  /embed|\bbge|\be5-|minilm|\bgte-|rerank|\btts|kokoro|piper|moderation|stable-?diffusion|\bflux|dall-e|\bclip\b|\bvad\b/i;

/** The use of a model by its name, for servers that state no ability. The self-test has the last word. */
function useByName(name: string): ModelUse | null {
  if (otherNames.test(name)) return null;
  return speechNames.test(name) ? 'recognizer' : 'translator';
}

/** The use of a model of Ollama by what it can do; by its name before version 0.6.4, which states nothing. */
async function ollamaUse(questions: Questions, root: string, name: string): Promise<ModelUse | null> {
  const shown = z
    .looseObject({ capabilities: z.array(z.string()).nullish().catch(null) })
    .safeParse(await questions.valueOf(`${root}/api/show`, { model: name }));
  const capabilities = shown.data?.capabilities ?? null;
  if (capabilities === null) return useByName(name) === 'translator' ? 'translator' : null;
  return capabilities.includes('completion') ? 'translator' : null;
}

/** What LM Studio says of each of its models; none for another program. */
async function studioTypes(questions: Questions, root: string): Promise<ReadonlyMap<string, string>> {
  const listed = modelList.safeParse(await questions.valueOf(`${root}/api/v0/models`));
  const rows = listed.data?.data ?? [];
  return new Map(rows.flatMap(({ id, type }) => (typeof id === 'string' && type != null ? [[id, type] as const] : [])));
}

const ofStudio = (type: string | undefined): ModelUse | null =>
  type === 'llm' || type === 'vlm' ? 'translator' : null;

/** The use of a model by its task, as speaches states it. */
const ofTask = (task: string): ModelUse | null => (task === 'automatic-speech-recognition' ? 'recognizer' : null);

const named = (models: readonly ListedModel[]): readonly (ListedModel & { readonly id: string })[] =>
  models
    .flatMap((each) => {
      const { data: id } = servedModelName.safeParse(each.id);
      return id === undefined ? [] : [{ ...each, id }];
    })
    .slice(0, bounds.models);

/** The program of a server by its own words, and the models with their uses. */
async function identified(
  questions: Questions,
  { root, header, listed }: { root: string; header: string; listed: readonly ListedModel[] },
): Promise<Pick<ServerProgram, 'program' | 'models'>> {
  const models = named(listed);
  const byName = models.map(
    ({ id, task }): ServedModel => ({ name: id, use: task == null ? useByName(id) : ofTask(task) }),
  );
  if (models.some(({ task }) => task != null)) return { program: 'speaches', models: byName };
  const owners = models.map(({ owned_by }) => owned_by);
  if (header.startsWith('llama.cpp') || owners.includes('llamacpp')) return { program: 'llama-server', models: byName };
  if (owners.includes('vllm')) return { program: 'vLLM', models: byName };
  const types = await studioTypes(questions, root);
  if (types.size > 0) {
    return { program: 'LM Studio', models: models.map(({ id }) => ({ name: id, use: ofStudio(types.get(id)) })) };
  }
  if (tagList.safeParse(await questions.valueOf(`${root}/api/tags`)).success) {
    const uses = models.map(async ({ id }) => ({ name: id, use: await ollamaUse(questions, root, id) }));
    return { program: 'Ollama', models: await Promise.all(uses) };
  }
  const ready = await questions.ask(`${root}/readyz`).catch(() => null);
  return { program: ready?.status === 200 ? 'LocalAI' : 'model server', models: byName };
}

/**
 * The program at an address with its models and their uses. Null if nothing answers in time, or not as a server of models
 * does. The key, if there is one, is sent to this server alone.
 */
export async function serverProgramAt(
  address: string,
  apiKey: string | null,
): Promise<ServerProgram | RefusedKey | null> {
  const given = baseAddress(address);
  const service = await speechServiceAt(given);
  if (service === null) return null;
  const { interface: speech } = service;
  if (speech === 'whisper-server') return { program: 'whisper-server', baseUrl: given, speech, models: [] };
  if (speech === 'asr') return { program: 'whisper-asr-webservice', baseUrl: given, speech, models: [] };
  const baseUrl = service.address.replace(/\/audio\/transcriptions$/, '');
  try {
    return await withinMs(bounds.ms, async (signal) => {
      const questions = new Questions(apiKey, signal);
      const answer = await questions.ask(`${baseUrl}/models`);
      if (answer.status === 401 || answer.status === 403) return { refused: answer.status };
      const list = modelList.safeParse(answer.value);
      if (answer.status !== 200 || !list.success) return null;
      const facts = { root: rootOf(baseUrl), header: answer.program, listed: list.data.data };
      return { ...(await identified(questions, facts)), baseUrl, speech };
    });
  } catch {
    return null;
  }
}

/** The servers of models at ports of this machine. None of them gets a key, a text or a sound. */
export async function localPrograms(
  ports: readonly number[] = Object.keys(knownPorts).map(Number),
): Promise<readonly ServerProgram[]> {
  const found = await Promise.all(ports.map((port) => serverProgramAt(`http://127.0.0.1:${port}`, null)));
  return found.flatMap((each) => (each === null || 'refused' in each ? [] : [each]));
}
