import { addressFinder, type HostAddress, type HostPlace } from './host-address.ts';
import { AnswerLate, HostError, HostUnreachable } from './host-error.ts';
import { type PatientFetch, patientFetch } from './patient-fetch.ts';

export interface TransportOptions {
  /** How long a request that may be repeated is repeated while no host answers, in milliseconds. */
  readonly reconnectMs?: number;
  readonly fetch?: typeof fetch;
  /** Ends every request of the client when it is aborted, beside the signals of single calls. */
  readonly signal?: AbortSignal | undefined;
  /** Asks for what may take longer than `fetch` waits; without it `fetch`, where one is given, and else one that waits. */
  readonly patientFetch?: PatientFetch;
}

export interface Call {
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PATCH' | 'DELETE';
  /** Sent as JSON. */
  readonly json?: unknown;
  /** Sent as it is, under its type. */
  readonly body?: Blob;
  readonly headers?: Readonly<Record<string, string>>;
  readonly origin?: string;
  /** The media types that the caller can read; JSON where nothing is said. */
  readonly accept?: string;
  /** Ends the request, as the signal of the client does; null where neither may. */
  readonly signal?: AbortSignal | null | undefined;
  /** Whether the request may reach the host twice; so it is for all reads. */
  readonly repeatable?: boolean;
  /** Whether the answer may take longer than five minutes, as it does where the host reads all that it has. */
  readonly isLong?: boolean;
}

const pauseMs = 250;
const defaultReconnectMs = 30_000;

/** Resolves after `ms`, rejects with the reason of `signal` when that is aborted first. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
  });
}

/** What a refusal says. */
export const messageOf = (text: string): { readonly code: string; readonly message: string } => {
  try {
    const { error } = JSON.parse(text) as { error?: { code?: unknown; message?: unknown } };
    if (typeof error?.code === 'string' && typeof error.message === 'string')
      return { code: error.code, message: error.message };
  } catch {
    // Not from the host, or cut: said below.
  }
  return { code: 'unknown_answer', message: 'the answer is not one of this service' };
};

async function refused(answer: Response): Promise<HostError> {
  const seconds = answer.headers.get('Retry-After');
  const retryAfterSeconds = seconds !== null && /^\d+$/.test(seconds) ? Number(seconds) : null;
  return new HostError({ status: answer.status, retryAfterSeconds, ...messageOf(await answer.text()) });
}

/** Sends requests to one host, and finds it again when it was restarted. */
export class Transport {
  readonly #find: () => HostAddress | Promise<HostAddress>;
  readonly #reconnectMs: number;
  readonly #fetch: typeof fetch;
  readonly #patientFetch: PatientFetch;
  readonly #signal: AbortSignal | undefined;

  constructor(place: HostPlace, options: TransportOptions) {
    const { reconnectMs = defaultReconnectMs, fetch = globalThis.fetch } = options;
    this.#find = addressFinder(place);
    this.#reconnectMs = reconnectMs;
    this.#signal = options.signal;
    this.#fetch = (input, init) => fetch(input, init);
    this.#patientFetch = options.patientFetch ?? options.fetch ?? patientFetch;
  }

  /** The address of the host as it is known now. */
  address(): HostAddress | Promise<HostAddress> {
    return this.#find();
  }

  /** The JSON of an answer. Throws `HostError`, `HostUnreachable`, `AnswerLate`, and the reason of an aborted signal. */
  async json<Answer>(path: string, call: Call = {}): Promise<Answer> {
    return this.#repeated(call, async () => (await (await this.#send(path, call)).json()) as Answer);
  }

  /** The text of an answer. Throws as `json`. */
  async text(path: string, call: Call = {}): Promise<string> {
    return this.#repeated(call, async () => (await this.#send(path, call)).text());
  }

  /** An answer whose body the caller reads. Throws as `json`. */
  async answer(path: string, call: Call = {}): Promise<Response> {
    return this.#repeated(call, () => this.#send(path, call));
  }

  /** The body of an answer as it comes; what follows its head is not repeated. Throws as `json`. */
  async stream(path: string, call: Call = {}): Promise<ReadableStream<Uint8Array>> {
    return (await this.answer(path, call)).body ?? new Blob([]).stream();
  }

  /** A field of the head of an answer to a read; null where the answer lacks it. Throws as `json`. */
  async field(path: string, name: string, call: Pick<Call, 'signal'> = {}): Promise<string | null> {
    return (await this.head(path, { ...call, method: 'HEAD' })).get(name);
  }

  /** The head of an answer. Throws as `json`. */
  async head(path: string, call: Call): Promise<Headers> {
    return this.#repeated(call, async () => {
      const answer = await this.#send(path, call);
      // Its connection is free for the next request only then.
      await answer.arrayBuffer();
      return answer.headers;
    });
  }

  /** Repeats a request while no host answers; a refusal is an answer. */
  async #repeated<Answer>(call: Call, ask: () => Promise<Answer>): Promise<Answer> {
    const { method = 'GET', repeatable = method === 'GET' || method === 'HEAD' } = call;
    const signal = this.#signalOf(call);
    // A clock that is set back would keep the caller waiting.
    for (const end = performance.now() + this.#reconnectMs; ; ) {
      try {
        return await ask();
      } catch (error) {
        signal?.throwIfAborted();
        if (error instanceof HostError) throw error;
        if (AnswerLate.isCauseOf(error)) throw new AnswerLate((await this.#find()).baseUrl, error);
        const unreachable =
          error instanceof HostUnreachable ? error : new HostUnreachable((await this.#find()).baseUrl, error);
        if (!repeatable || performance.now() >= end) throw unreachable;
      }
      await pause(pauseMs, signal);
    }
  }

  #signalOf({ signal }: Pick<Call, 'signal'>): AbortSignal | undefined {
    const own = this.#signal;
    if (signal === null || own === undefined) return signal ?? undefined;
    return signal === undefined ? own : AbortSignal.any([signal, own]);
  }

  async #send(
    path: string,
    { method = 'GET', json, body, origin, accept, signal, isLong = false, headers: given = {} }: Call,
  ): Promise<Response> {
    const { baseUrl, token } = await this.#find();
    const headers: Record<string, string> = { Authorization: `Bearer ${token}`, ...given };
    if (json !== undefined) headers['Content-Type'] = 'application/json';
    if (body !== undefined) headers['Content-Type'] = body.type;
    if (accept !== undefined) headers.Accept = accept;
    // A browser sends its own and lets no script set it.
    if (origin !== undefined) headers.Origin = origin;
    const asked = { method, headers, signal: this.#signalOf({ signal }) ?? null };
    const text = json === undefined ? null : JSON.stringify(json);
    const answer = isLong
      ? await this.#patientFetch(`${baseUrl}${path}`, { ...asked, body: text })
      : await this.#fetch(`${baseUrl}${path}`, { ...asked, body: text ?? body ?? null });
    if (!answer.ok) throw await refused(answer);
    return answer;
  }
}

/** A path of the service with its ids percent-encoded. */
export const pathOf = (strings: TemplateStringsArray, ...ids: readonly string[]): string =>
  String.raw({ raw: strings.raw }, ...ids.map(encodeURIComponent));
