import { z } from 'zod';
import type { Clock } from '../../contract/base/clock.ts';
import { failureMessage } from '../../contract/base/errors.ts';
import { cutText, labelLine } from '../../contract/base/grammar.ts';
import { type EngineFailureCode, maximumSaid } from '../../contract/causes/engine-failures.ts';
import type { modelFailures } from '../../contract/causes/failures.ts';
import { following, onAbort, paused, withinMs } from '../../formats/followed-signal.ts';
import { httpFetch } from '../../formats/http-fetch.ts';
import { isOnThisMachine } from '../../formats/this-machine.ts';

/** A server that speaks the OpenAI interface. The key is for its requests alone: it is never logged or stored. */
export interface HostedProvider {
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly apiKey: string | null;
  /** On this machine: what is sent there does not leave it. */
  readonly isLocal: boolean;
}

type ModelFailureCause = (typeof modelFailures)[number] | `http_${string}`;

/**
 * A model gave no answer that can be used. Its words are this host's own. Those of a server are in them only where the words of
 * refusals are wanted, and never an address or a key.
 */
export class ModelFailure extends Error {
  readonly code: ModelFailureCause;
  readonly detail: string;
  constructor(code: ModelFailureCause, detail: string, cause?: unknown) {
    super(failureMessage(`${code}: ${detail}`), { cause });
    this.name = 'ModelFailure';
    this.code = code;
    this.detail = detail;
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

const defaultBaseUrl = 'https://api.openai.com/v1';

/**
 * The fault in the address of a server, as a clause behind its name; null if it has none. It does not repeat the address, which may
 * hold a secret. An unencoded password can end early: of `http://me:12/34@host` the host is `me`, and `34@host` is the path.
 */
export function addressFault(text: string): string | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !['http:', 'https:'].includes(url.protocol)) return 'is not an http(s) address';
  if (url.username !== '' || url.password !== '') return 'must not hold a name or a password';
  // An empty query or fragment would still end the path to which each request adds its own.
  if (/[?#]/.test(text)) return 'must not have a query or a fragment';
  if (url.pathname.includes('@')) return 'must not hold a name or a password; write an @ in its path as %40';
  return null;
}

/** A base address as a host has it: two spellings of one address are equal. `text` has no fault. */
export const baseAddress = (text: string): string => new URL(text).href.replace(/\/+$/, '');

/** The fault of a base URL, without repeating it: it may hold a secret. */
function complaintOf(text: string): string | null {
  const fault = addressFault(text);
  if (fault !== null) return fault;
  if (new URL(text).protocol === 'http:' && !isOnThisMachine(text)) return 'must be https outside this machine';
  return null;
}

/** A variable of the environment that names no provider, and what is wrong with it. */
interface RefusedProvider {
  readonly about: 'OPENAI_BASE_URL' | 'OPENAI_API_KEY';
  readonly refused: string;
}

/** True for the characters that a header can hold. */
export const isKey = (text: string): boolean => /^[!-~]{1,1024}$/.test(text);

/** The provider that the environment names, or why there is none. */
export function hostedProvider(environment: Environment): HostedProvider | RefusedProvider {
  const given = environment.OPENAI_BASE_URL ?? '';
  const text = given === '' ? defaultBaseUrl : given;
  const refused = complaintOf(text);
  if (refused !== null) return { about: 'OPENAI_BASE_URL', refused };
  const key = environment.OPENAI_API_KEY ?? '';
  const isLocal = isOnThisMachine(text);
  if (key === '' && !isLocal) {
    const which = given === '' ? `${defaultBaseUrl}, the default server` : 'a server outside this machine';
    return { about: 'OPENAI_API_KEY', refused: `is needed for ${which}` };
  }
  if (key !== '' && !isKey(key)) return { about: 'OPENAI_API_KEY', refused: 'is not a key' };
  return { baseUrl: baseAddress(text), apiKey: key === '' ? null : key, isLocal };
}

const originOf = (address: string): string | null => (URL.canParse(address) ? new URL(address).origin : null);

/**
 * An environment with another server in it. The key is for the server that the environment named, and for one outside this
 * machine, which only a person can name. Another one on this machine gets none: any program may listen there.
 */
export function withServer<Given extends Environment>(environment: Given, server: string): Given {
  const named = { ...environment, OPENAI_BASE_URL: server };
  const isKeyed = originOf(environment.OPENAI_BASE_URL ?? '') === originOf(server);
  return isOnThisMachine(server) && !isKeyed ? { ...named, OPENAI_API_KEY: undefined } : named;
}

/** A server that has not answered within this time in ms is there, and busy. */
const presenceMs = 5_000;

/** True if nothing answers at the address of a server. It gets neither a key nor a text. */
export async function isAbsent({ baseUrl }: Pick<HostedProvider, 'baseUrl'>): Promise<boolean> {
  return withinMs(presenceMs, async (signal) => {
    try {
      const answer = await httpFetch(`${baseUrl}/models`, { signals: [signal], redirect: 'manual' });
      await answer.body?.cancel();
      return false;
    } catch {
      return !signal.aborted;
    }
  });
}

interface BoundedFetchOptions {
  /** Sent as a bearer; null sends no authorization at all. */
  readonly apiKey: string | null;
  readonly maximumBytes: number;
  /** True if an answer is handed on as it comes; by default it is read first. */
  readonly isStreamed?: boolean;
}

// All other headers of a client library describe this machine, or come from its environment.
const sentHeaders = ['accept', 'content-type'];

function plainHeaders(given: RequestInit['headers'], apiKey: string | null): Headers {
  const headers = new Headers({ 'User-Agent': 'local-media-study-service' });
  for (const [name, value] of new Headers(given)) if (sentHeaders.includes(name)) headers.set(name, value);
  if (apiKey !== null) headers.set('authorization', `Bearer ${apiKey}`);
  return headers;
}

/** Reads a body, decompressed, and gives up at the first byte too many. Rejects with `ModelFailure` of `too_large`. */
export async function boundedBody({ body }: Pick<Response, 'body'>, maximumBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    length += chunk.length;
    // Leaving the loop cancels the rest, and with it the connection.
    if (length > maximumBytes) throw new ModelFailure('too_large', `the answer passes ${maximumBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/**
 * A `fetch` for client libraries. It sends only the headers of the request and the key, and follows no redirect. It reads the
 * whole answer, of at most `maximumBytes` bytes, before it resolves; a streamed one fails at the first byte too many. Of a refusal it keeps the status, the time to wait, and the first
 * words as `Refused` under `error`, where client libraries look for them. Words that may repeat the key are dropped. Rejects with
 * `ModelFailure` of `redirected` and `too_large`, and with the platform's error if no whole answer came.
 */
export const boundedFetch =
  ({ apiKey, maximumBytes, isStreamed = false }: BoundedFetchOptions): typeof fetch =>
  async (target, init) => {
    const response = await httpFetch(String(target), {
      method: init?.method ?? 'GET',
      // Client libraries send a text, and the recognizer a form.
      body: (init?.body ?? null) as string | FormData | null,
      headers: plainHeaders(init?.headers, apiKey),
      redirect: 'manual',
      signals: [init?.signal],
    });
    const { status, headers } = response;
    if (status >= 300 && status < 400) {
      await response.body?.cancel();
      throw new ModelFailure('redirected', `the provider answered with ${status}`);
    }
    if (status >= 400) {
      const refused = refusedIn(await beginningOf(response), apiKey);
      const wait = headers.get('retry-after') ?? '';
      return new Response(refused === null ? null : JSON.stringify({ error: refused }), {
        status,
        headers: {
          ...(refused === null ? {} : { 'content-type': 'application/json' }),
          ...(retryAfter.test(wait) ? { 'retry-after': wait } : {}),
        },
      });
    }
    const type = headers.get('content-type');
    const head = { status, headers: type === null ? {} : { 'content-type': type } };
    if (isStreamed) return new Response(limitedBody(response, maximumBytes), head);
    const bytes = await boundedBody(response, maximumBytes);
    return new Response(bytes.length === 0 ? null : new Uint8Array(bytes), head);
  };

/** The body of an answer as it comes. It fails with `ModelFailure` of `too_large` at the first byte too many. */
function limitedBody({ body }: Pick<Response, 'body'>, maximumBytes: number): ReadableStream<Uint8Array> | null {
  let length = 0;
  const limit = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      length += chunk.length;
      if (length > maximumBytes) throw new ModelFailure('too_large', `the answer passes ${maximumBytes} bytes`);
      controller.enqueue(chunk);
    },
  });
  return body?.pipeThrough(limit) ?? null;
}

/** The words of a server about a request that it refused, and the code and the field that it names. */
export interface Refused {
  /** One line, without a key; null for none. */
  readonly message: string | null;
  readonly code: string | null;
  readonly param: string | null;
}

/** As much of a refusal is read, in bytes, and for so long, in ms: its status alone says most. */
const refusalLimits = { bytes: 16 * 1024, ms: 2_000 } as const;

/** The first bytes of a body as text; what came until the limit if the rest is late or breaks off. */
export async function beginningOf({ body }: Pick<Response, 'body'>): Promise<string> {
  if (body === null) return '';
  const reader = body.getReader();
  const chunks: Uint8Array[] = [];
  try {
    await withinMs(refusalLimits.ms, async (limit) => {
      const stopListening = onAbort(limit, () => void reader.cancel().catch(() => undefined));
      try {
        for (let length = 0; length < refusalLimits.bytes; ) {
          const { done, value } = await reader.read();
          if (done) return;
          chunks.push(value);
          length += value.length;
        }
      } finally {
        stopListening();
      }
    });
    await reader.cancel();
  } catch {
    // The words are missing then, and the refusal is one all the same.
  }
  return Buffer.concat(chunks).subarray(0, refusalLimits.bytes).toString('utf8');
}

const field = z.string().nullish().catch(null);

/** The errors of OpenAI, Ollama, llama.cpp, and of FastAPI, on which most servers in Python are built. */
const refusal = z.looseObject({
  error: z
    .union([z.string(), z.looseObject({ message: field, code: field, param: field, type: field })])
    .nullish()
    .catch(null),
  detail: z
    .union([
      z.string(),
      z.array(z.looseObject({ loc: z.array(z.union([z.string(), z.number()])).catch([]), msg: z.string() })).max(64),
    ])
    .nullish()
    .catch(null),
  message: field,
});

/**
 * The words of a server as one line that can be shown and stored. Null for none, for a page, and for words with the key. Quotes and marks
 * of the messages around them are replaced.
 */
export function shownWords(words: string, apiKey: string | null): string | null {
  if (/^\s*</.test(words)) return null;
  // Servers show parts of a key that they refuse.
  if (apiKey !== null && (keyEcho(apiKey)(words) || words.includes(apiKey.slice(0, shortestSecret)))) return null;
  const line = cutText(
    labelLine(words).replace(/\s+/gu, ' ').replaceAll(/[“”]/g, "'").replaceAll(';', ','),
    maximumSaid,
  );
  return line === '' ? null : line;
}

/** The error in an answer, as text or as JSON; null if it has none. */
export function refusedIn(body: unknown, apiKey: string | null): Refused | null {
  const json = typeof body === 'string' ? jsonOf(body) : body;
  const { data } = refusal.safeParse(json);
  const { error = null, detail = null } = data ?? {};
  const named = typeof error === 'string' ? { message: error } : (error ?? {});
  const details =
    typeof detail === 'string' ? detail : (detail ?? []).map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join(', ');
  const words = named.message ?? (details === '' ? (data?.message ?? '') : details);
  const plain = data === undefined && typeof body === 'string' ? body : words;
  const [message, code, param] = [plain, named.code ?? named.type ?? '', named.param ?? ''].map((each) =>
    shownWords(each, apiKey),
  );
  return [message, code, param].every((each) => each === null) ? null : ({ message, code, param } as Refused);
}

/** The form of an answer that is not JSON; null for plain text. */
export function wireOf(text: string, type: string): EngineFailureCode | null {
  if (/^text\/event-stream\b/i.test(type) || /^(?:event|data):/.test(text)) return 'engine_answered_events';
  return /^\s*</.test(text) ? 'engine_answered_page' : null;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whole seconds. A date depends on the clock of the server, and model servers send none. */
const retryAfter = /^\d{1,6}$/;

/** The wait after the first refusal without a time, in ms. It doubles with each further one, up to the longest. */
const waitMs = { first: 1_000, longest: 8_000 } as const;

/**
 * The time that a server wants before the same request, in ms; 0 if it names none. Null unless it refused for now: it has too
 * many requests (429), or its model is not loaded yet (503).
 */
function wantedWaitOf(error: unknown): number | null {
  for (let each = error; each instanceof Object; each = each instanceof Error ? each.cause : null) {
    if (!('status' in each && 'headers' in each && each.headers instanceof Headers)) continue;
    if (each.status !== 429 && each.status !== 503) return null;
    return Number(each.headers.get('retry-after') ?? 0) * 1000;
  }
  return null;
}

/** The longest wait for one request of work in many of them, in ms: as long as its answer may take. The number is a choice. */
export const usualPatienceMs = 60_000;

interface Patience {
  readonly clock: Pick<Clock, 'setTimeout' | 'clearTimeout'>;
  /** The longest that all waits for one request may take, in ms. */
  readonly mostMs: number;
  readonly signal: AbortSignal;
}

/**
 * Sends a request, and again after each wait that the server wants before it takes it. Rejects with the last failure if the server
 * wants more time than is left, and with the reason of `signal` once that aborts.
 */
export async function patiently<Result>(
  { clock, mostMs, signal }: Patience,
  send: () => Promise<Result>,
): Promise<Result> {
  for (let waitedMs = 0, leastMs: number = waitMs.first; ; leastMs = Math.min(2 * leastMs, waitMs.longest)) {
    try {
      return await send();
    } catch (error) {
      const wantedMs = wantedWaitOf(error);
      const nextMs = Math.max(wantedMs ?? 0, leastMs);
      if (wantedMs === null || waitedMs + nextMs > mostMs) throw error;
      await paused(clock, nextMs, signal);
      waitedMs += nextMs;
    }
  }
}

interface TimeLimit extends Omit<Patience, 'mostMs'> {
  /** The longest that the request and its answer may take, in ms. */
  readonly wallMs: number;
}

/**
 * Sends a request once, and aborts it if it takes too long. Rejects with the reason of `signal` once that aborts, and else with what
 * `failureOf` makes of the error.
 */
export async function inTime<Result>(
  { clock, wallMs, signal }: TimeLimit,
  send: (signal: AbortSignal) => Promise<Result>,
  failureOf: (error: unknown, isLate: boolean) => Error,
): Promise<Result> {
  signal.throwIfAborted();
  const limit = new AbortController();
  const timer = clock.setTimeout(() => limit.abort(), wallMs);
  try {
    return await following([signal, limit.signal], send);
  } catch (error) {
    signal.throwIfAborted();
    throw failureOf(error, limit.signal.aborted);
  } finally {
    clock.clearTimeout(timer);
  }
}

/** Keys that are shorter are rather words, such as `ollama`, that a server on this machine wants in the place of a key. */
const shortestSecret = 8;

/** An encoding may be within another one, such as base64 within percent-encoded JSON. */
const deepest = 4;

const ofCode = (whole: string, code: number): string => (code > 0x10ffff ? whole : String.fromCodePoint(code));

/** A text with the escapes of JSON, URLs and HTML resolved once. */
const unescaped = (text: string): string =>
  text
    .replace(/\\(?:u([0-9a-fA-F]{4})|([/"\\]))/g, (whole, hex: string | undefined, sign: string) =>
      hex === undefined ? sign : ofCode(whole, Number.parseInt(hex, 16)),
    )
    .replace(/%([0-9a-fA-F]{2})/g, (whole, hex: string) => ofCode(whole, Number.parseInt(hex, 16)))
    .replace(/&#[xX]([0-9a-fA-F]{1,6});/g, (whole, hex: string) => ofCode(whole, Number.parseInt(hex, 16)))
    .replace(/&#(\d{1,7});/g, (whole, decimal: string) => ofCode(whole, Number(decimal)));

/** A text as it is, and in its forms with resolved escapes, again and again. */
function readings(text: string): string[] {
  const found = [text];
  for (let depth = 0; depth < deepest; depth += 1) {
    const last = found.at(-1) ?? '';
    const next = unescaped(last);
    if (next === last) break;
    found.push(next);
  }
  return found;
}

/** The base64 of a key within a longer text: for each of the three ways to align it, the characters that are its own. */
function base64Of(key: string): string[] {
  return [0, 1, 2].flatMap((offset) => {
    const bytes = Buffer.from(`${'\0'.repeat(offset)}${key}`);
    const own = [Math.ceil((offset * 8) / 6), Math.floor((bytes.length * 8) / 6)] as const;
    return (['base64', 'base64url'] as const).map((encoding) => bytes.toString(encoding).slice(...own));
  });
}

/**
 * Makes a test for the key of a server in a text. It finds the key as it is, in letters of another case, or spaced out. It also
 * finds it escaped as in JSON, URLs or HTML, in base64 or in hex. A key of fewer than 8 characters only counts as a whole word.
 */
export function keyEcho(key: string): (text: string) => boolean {
  if (key.length < shortestSecret) {
    const word = new RegExp(`(?<![A-Za-z0-9])${key.replace(/[^A-Za-z0-9]/g, '\\$&')}(?![A-Za-z0-9])`);
    return (text) => readings(text).some((reading) => word.test(reading));
  }
  const anyCase = [key.toLowerCase(), Buffer.from(key).toString('hex')];
  const exact = base64Of(key);
  return (text) =>
    readings(text).some((reading) => {
      const dense = reading.replace(/[\s\p{Cf}]+/gu, '');
      const lower = dense.toLowerCase();
      return anyCase.some((form) => lower.includes(form)) || exact.some((form) => dense.includes(form));
    });
}
