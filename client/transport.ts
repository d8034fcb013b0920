import { following, onAbort } from '../formats/followed-signal.ts';
import {
  ConnectionEnded,
  followedBody,
  type HttpRequest,
  heldFetch,
  httpFetch,
  isNode,
  patientHttpFetch,
} from '../formats/http-fetch.ts';
import { AnswerLate, HostAway, HostError, HostUnreachable, wasRefusedConnection } from './host-error.ts';
import { HostProofs, HostRefused, isOpenToOthers, type ProvedHost, type ProvedWay } from './host-proof.ts';

/** A value that a caller gives and the client only reads: constants declared `as const` fit as they are. */
export type Given<Value> = Value extends readonly (infer Item)[]
  ? readonly Given<Item>[]
  : Value extends object
    ? { readonly [Key in keyof Value]: Given<Value[Key]> }
    : Value;

/** The options of every list: the cursor of the page before, and the most rows of the page, at most 200. */
export interface ListOptions {
  readonly after?: string;
  readonly limit?: number;
}

/** The query of a list; what is undefined is left out. */
export function queryOf(values: Readonly<Record<string, string | number | undefined>>): string {
  const given = Object.entries(values).flatMap(([key, value]) =>
    value === undefined ? [] : [`${key}=${encodeURIComponent(value)}`],
  );
  return given.length === 0 ? '' : `?${given.join('&')}`;
}

/** The address of a host and the token that it accepts. */
export interface HostAddress {
  /** The origin, such as `http://127.0.0.1:41879`. */
  readonly baseUrl: string;
  readonly token: string;
  /**
   * Names the process of the host, if the caller has just seen that it lives. A host proves itself on each new connection, and another
   * process at the same address on one of its own. Where `fetch` is given, a host without a name proves itself before each request.
   */
  readonly process?: string;
}

/** The part of a host's start line that a client needs. */
interface StartLine {
  readonly listening: string;
  readonly authorizationToken: string;
}

/** A start line, parsed or as text, an address, or a function that finds the address again after a restart of the host. */
export type HostPlace = string | StartLine | HostAddress | (() => HostAddress | Promise<HostAddress>);

/** True for a text that can be the origin of a host: requests to any other one fail, however often they are repeated. */
export const isHostOrigin = (text: string): boolean => /^https?:\/\/[^/]/.test(text) && URL.canParse(text);

/**
 * An address as requests need it. Throws `TypeError` for what can be no address, such as one without `http://`. It does
 * the same for a token that no header can carry. Such a request fails as one without a network does, and would be repeated.
 */
function trimmed({ baseUrl, token, ...rest }: HostAddress): HostAddress {
  if (!isHostOrigin(baseUrl))
    throw new TypeError(`the address of a host is needed, such as http://127.0.0.1:4312, and not "${baseUrl}"`);
  if (!/^[\x20-\x7e]*$/.test(token))
    throw new TypeError('the token of a host has ASCII characters only, and no line break');
  return { baseUrl: baseUrl.replace(/\/+$/, ''), token, ...rest };
}

const isStartLine = (place: StartLine | HostAddress): place is StartLine => 'listening' in place;

/** Makes a function that finds the address. Throws `TypeError` for a text that is not a start line, and for what can be no address. */
export function addressFinder(place: HostPlace): () => HostAddress | Promise<HostAddress> {
  if (typeof place === 'function') return async () => trimmed(await place());
  const address = typeof place === 'string' ? parsedLine(place) : place;
  const found = trimmed(
    isStartLine(address) ? { baseUrl: address.listening, token: address.authorizationToken } : address,
  );
  return () => found;
}

function parsedLine(text: string): StartLine {
  const parsed: unknown = JSON.parse(text);
  if (typeof parsed === 'object' && parsed !== null && 'listening' in parsed && 'authorizationToken' in parsed) {
    const { listening, authorizationToken } = parsed;
    if (typeof listening === 'string' && typeof authorizationToken === 'string')
      return { listening, authorizationToken };
  }
  throw new TypeError('not a start line: it has no listening and no authorizationToken');
}

/** The parts of `fetch` that a long request needs. */
interface PatientRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly signal: AbortSignal | null;
}

export type PatientFetch = (url: string, request: PatientRequest) => Promise<Response>;

/** Sends one request, and resolves with the head of its answer. */
export type Send = (address: string, request: HttpRequest) => Promise<Response>;

/** The sender that a caller gave in the place of `fetch`. */
const given =
  (own: typeof fetch): Send =>
  (address, request) =>
    heldFetch(own, address, request);

/** The sender behind a `PatientFetch`. */
export const givenPatient =
  (own: PatientFetch): Send =>
  (address, request) => {
    const send: typeof fetch = (_, { method = 'GET', headers, body, signal = null } = {}) =>
      own(address, {
        method,
        headers: Object.fromEntries(new Headers(headers)),
        body: typeof body === 'string' ? body : null,
        signal,
      });
    return heldFetch(send, address, request);
  };

export interface TransportOptions {
  /** How long a request that may be repeated is repeated while no host answers, in milliseconds. */
  readonly reconnectMs?: number;
  /** Sends the requests; without it the platform's own, which in Node takes requests to this machine past every proxy. */
  readonly fetch?: typeof fetch;
  /** Ends every request of the client when it is aborted, beside the signals of single calls. */
  readonly signal?: AbortSignal | undefined;
  /** Asks for what may take longer than `fetch` waits; without it `fetch`, where one is given, and else one that waits. */
  readonly patientFetch?: PatientFetch;
  /**
   * True if a host on this machine has to prove that it knows the token before the client sends it. Any user may listen on a port.
   * By default true in Node, unless `fetch` is given. Hosts before version 1.1 have no proof, and page tokens have none either.
   */
  readonly proof?: boolean;
  /** Called with each host that has proved itself; what it throws ends the request before the token is sent. */
  readonly onProof?: (host: ProvedHost, address: HostAddress) => void | Promise<void>;
}

interface HostRequest {
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PATCH' | 'DELETE';
  /** Sent as JSON. */
  readonly json?: unknown;
  /** Sent as it is, under its type. */
  readonly body?: Blob;
  readonly headers?: Readonly<Record<string, string>>;
  /** The origin that the request states: a page's, or `own` for that of the host itself. */
  readonly origin?: string;
  /** The media types that the caller can read; by default JSON. */
  readonly accept?: string;
  /** Ends the request, as the signal of the client does; null where neither may. */
  readonly signal?: AbortSignal | null | undefined;
  /**
   * True if the request may reach the host twice; so it is for all reads. Any request is repeated if its connection was refused.
   */
  readonly repeatable?: boolean;
  /** True if the answer may take longer than five minutes, as it does if the host reads all of its data. */
  readonly isLong?: boolean;
}

const pauseMs = 250;
const defaultReconnectMs = 30_000;

/** Resolves after `ms`, rejects with the reason of `signal` when that is aborted first. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    let stopListening: () => void = () => undefined;
    const timer = setTimeout(() => {
      stopListening();
      resolve();
    }, ms);
    if (signal === undefined) return;
    stopListening = onAbort(signal, () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}

const unknownAnswer = { code: 'unknown_answer', message: 'the answer is not one of this service' };

/** The code and the message of a refusal. */
export const refusalIn = (text: string): { readonly code: string; readonly message: string } => {
  try {
    const { error } = JSON.parse(text) as { error?: { code?: unknown; message?: unknown } };
    if (typeof error?.code === 'string' && typeof error.message === 'string')
      return { code: error.code, message: error.message };
  } catch {
    // Not from the host, or cut: said below.
  }
  return unknownAnswer;
};

/** The JSON of a whole answer. Throws `HostError` `unknown_answer` for other content, such as the page of another server. */
export async function jsonIn<Answer>(answer: Response): Promise<Answer> {
  const text = await answer.text();
  try {
    return JSON.parse(text) as Answer;
  } catch {
    throw new HostError({ status: answer.status, retryAfterSeconds: null, ...unknownAnswer });
  }
}

async function refused(answer: Response): Promise<HostError> {
  const seconds = answer.headers.get('Retry-After');
  const retryAfterSeconds = seconds !== null && /^\d+$/.test(seconds) ? Number(seconds) : null;
  return new HostError({ status: answer.status, retryAfterSeconds, ...refusalIn(await answer.text()) });
}

/** Sends requests to one host, and finds it again when it was restarted. */
export class Transport {
  readonly #find: () => HostAddress | Promise<HostAddress>;
  readonly #reconnectMs: number;
  readonly #ask: Send;
  readonly #askPatiently: Send;
  readonly #signal: AbortSignal | undefined;
  /** Null where no host has to prove anything. */
  readonly #proofs: HostProofs | null;

  constructor(place: HostPlace, options: TransportOptions) {
    const { reconnectMs = defaultReconnectMs, fetch, patientFetch } = options;
    this.#find = addressFinder(place);
    this.#reconnectMs = reconnectMs;
    this.#signal = options.signal;
    this.#ask = fetch === undefined ? httpFetch : given(fetch);
    this.#askPatiently =
      patientFetch !== undefined ? givenPatient(patientFetch) : fetch === undefined ? patientHttpFetch : this.#ask;
    const { proof = isNode() && fetch === undefined, onProof = () => undefined } = options;
    const isOwn = isNode() && fetch === undefined && patientFetch === undefined;
    this.#proofs = proof ? new HostProofs(isOwn ? null : this.#askPatiently, onProof) : null;
  }

  /** The address of the host as it is known now. */
  address(): HostAddress | Promise<HostAddress> {
    return this.#find();
  }

  /** The JSON of an answer. Throws `HostError`, `HostUnreachable`, `AnswerLate`, and the reason of an aborted signal. */
  async json<Answer>(path: string, call: HostRequest = {}): Promise<Answer> {
    return this.#repeated(path, call, jsonIn<Answer>);
  }

  /** The text of an answer. Throws as `json`. */
  async text(path: string, call: HostRequest = {}): Promise<string> {
    return this.#repeated(path, call, (answer) => answer.text());
  }

  /** An answer whose body the caller reads. Throws as `json`. */
  async answer(path: string, call: HostRequest = {}): Promise<Response> {
    return this.#repeated(path, call, async (answer) => this.#noticed(answer));
  }

  /** The body of an answer as it comes; what follows its head is not repeated. Throws as `json`. */
  async stream(path: string, call: HostRequest = {}): Promise<ReadableStream<Uint8Array>> {
    return (await this.answer(path, call)).body ?? new Blob([]).stream();
  }

  /** A field of the head of an answer to a read; null where the answer lacks it. Throws as `json`. */
  async field(path: string, name: string, call: Pick<HostRequest, 'signal'> = {}): Promise<string | null> {
    return (await this.head(path, { ...call, method: 'HEAD' })).get(name);
  }

  /** The head of an answer. Throws as `json`. */
  async head(path: string, call: HostRequest): Promise<Headers> {
    return this.#repeated(path, call, async (answer) => {
      // Its connection is free for the next request only then.
      await answer.arrayBuffer();
      return answer.headers;
    });
  }

  /** Repeats a request while no host answers; a refusal is an answer. Throws what the place throws that finds the host. */
  async #repeated<Answer>(
    path: string,
    call: HostRequest,
    taken: (answer: Response) => Promise<Answer>,
  ): Promise<Answer> {
    const { method = 'GET', repeatable = method === 'GET' || method === 'HEAD' } = call;
    const signals = this.#signalsOf(call);
    // A clock that is set back would keep the caller waiting.
    for (const end = performance.now() + this.#reconnectMs; ; ) {
      let address: HostAddress | null = null;
      let way: ProvedWay | null = null;
      try {
        address = await this.#find();
        // A connection may end in the moment in which it is used again. Then the client cannot tell whether the request has arrived.
        way = await this.#wayTo(address, !repeatable, signals);
        return await taken(await this.#send(way, address.token, path, call));
      } catch (error) {
        for (const each of signals) each.throwIfAborted();
        if (error instanceof HostAway) {
          if (performance.now() >= end) throw new HostUnreachable(error.origin, error);
        } else {
          if (error instanceof HostRefused) throw error.reason;
          if (address === null || error instanceof HostError || error instanceof HostUnreachable) throw error;
          this.#proofs?.lost();
          // The place is not asked again for the message: it may start a host, and name that one.
          if (AnswerLate.isCauseOf(error)) throw new AnswerLate(address.baseUrl, error);
          const isUnsent = way === null || error instanceof ConnectionEnded || wasRefusedConnection(error);
          // A new connection shows whether the host is still there.
          if (way?.isKept === true && (repeatable || isUnsent)) continue;
          if (!(repeatable || isUnsent) || performance.now() >= end) throw new HostUnreachable(address.baseUrl, error);
        }
      }
      await following(signals, (signal) => pause(pauseMs, signal));
    }
  }

  /** The way on which the token goes. Throws `HostUnproved`, before anything that belongs to the caller is sent. */
  async #wayTo(address: HostAddress, isNew: boolean, signals: readonly AbortSignal[]): Promise<ProvedWay> {
    if (this.#proofs === null || !(await isOpenToOthers(address.baseUrl)))
      return { origin: address.baseUrl, send: null, isKept: false };
    return this.#proofs.way(address, isNew, signals);
  }

  /** The same answer; a connection that breaks while its body is read is noticed. */
  #noticed(answer: Response): Response {
    const proofs = this.#proofs;
    if (proofs === null || answer.body === null) return answer;
    const body = followedBody(answer.body.getReader(), { ended: (error) => error !== undefined && proofs.lost() });
    return new Response(body, { status: answer.status, headers: answer.headers });
  }

  #signalsOf({ signal }: Pick<HostRequest, 'signal'>): readonly AbortSignal[] {
    return signal === null ? [] : [signal, this.#signal].flatMap((each) => each ?? []);
  }

  async #send(
    { origin: host, send: overConnection }: ProvedWay,
    token: string,
    path: string,
    { method = 'GET', json, body, origin, accept, signal, isLong = false, headers: given = {} }: HostRequest,
  ): Promise<Response> {
    const headers: Record<string, string> = { Authorization: `Bearer ${token}`, ...given };
    if (json !== undefined) headers['Content-Type'] = 'application/json';
    if (body !== undefined) headers['Content-Type'] = body.type;
    if (accept !== undefined) headers.Accept = accept;
    // A browser sends its own and lets no script set it.
    if (origin !== undefined) headers.Origin = origin === 'own' ? host : origin;
    const send = overConnection ?? (isLong ? this.#askPatiently : this.#ask);
    const answer = await send(`${host}${path}`, {
      method,
      headers,
      body: json === undefined ? (body ?? null) : JSON.stringify(json),
      signals: this.#signalsOf({ signal }),
    });
    if (!answer.ok) throw await refused(answer);
    return answer;
  }
}

/** A path of the service with its ids percent-encoded. */
export const encodedPath = (strings: TemplateStringsArray, ...ids: readonly string[]): string =>
  String.raw({ raw: strings.raw }, ...ids.map(encodeURIComponent));
