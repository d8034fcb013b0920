import { HostSilent } from '../../client/host-error.ts';
import type { PatientFetch } from '../../client/transport.ts';
import { onAbort } from '../../formats/followed-signal.ts';
import { followedBody, type HttpRequest, httpFetch, patientHttpFetch } from '../../formats/http-fetch.ts';

/** How often a host is looked after while it owes an answer, in ms. */
const tickMs = 500;
/** After this long without an answer the watch asks the host whether it works, in ms. */
const quietMs = 2_000;
/** A host that has answered nothing for this long is mentioned, in ms. */
const mentionedMs = 5_000;
/** A host that has answered nothing for this long is given up, in ms. */
const givenUpMs = 30_000;

interface WatchOptions {
  /** Takes lines for the person who waits. */
  readonly report: (line: string) => void;
  /** Finds the cause of the silence, such as a stopped process; null for none. */
  readonly look?: () => Promise<string | null>;
  readonly fetch?: typeof fetch;
  readonly patientFetch?: PatientFetch;
  /** Runs a function every so many ms until the answer is called. */
  readonly every?: (ms: number, run: () => void) => () => void;
}

const everyTick = (ms: number, run: () => void): (() => void) => {
  const timer = setInterval(run, ms).unref();
  return () => clearInterval(timer);
};

// Both take requests to this machine past every proxy. The client gives bodies of the kinds that a `HttpRequest` has.
const directly: typeof fetch = (input, { signal, ...init } = {}) =>
  httpFetch(String(input), { ...(init as HttpRequest), signals: [signal] });
const directlyAndPatiently: PatientFetch = (url, { signal, ...request }) =>
  patientHttpFetch(url, { ...request, signals: [signal] });

/** A request under way. */
interface Owed {
  readonly origin: string;
  readonly stop: AbortController;
}

/**
 * Looks after the host of a command while requests are under way. A host may work on an answer for hours, so no request has a limit. If
 * nothing comes for a while, the watch asks the host beside it whether it works. A host that does not answer that either is stopped or
 * busy: it is mentioned after 5 s, and its requests end with `HostSilent` after 30 s.
 */
export class HostWatch {
  readonly #report: (line: string) => void;
  readonly #look: () => Promise<string | null>;
  readonly #fetch: typeof fetch;
  readonly #patientFetch: PatientFetch;
  readonly #every: NonNullable<WatchOptions['every']>;
  readonly #owed = new Set<Owed>();
  #endTicks: (() => void) | null = null;
  /** The time without any answer, in ms: counted, so that a suspended command blames no host. */
  #silentMs = 0;
  #isMentioned = false;
  /** The question beside the requests, while it has no answer. */
  #asking: AbortController | null = null;

  constructor(options: WatchOptions) {
    this.#report = options.report;
    this.#look = options.look ?? (async () => null);
    this.#fetch = options.fetch ?? directly;
    this.#patientFetch = options.patientFetch ?? directlyAndPatiently;
    this.#every = options.every ?? everyTick;
  }

  /** `fetch` for the requests of a client. Rejects with `HostSilent` for a host that is given up. */
  readonly fetch: typeof fetch = (input, init) =>
    this.#watched(String(input), init?.signal ?? null, (signal) => this.#fetch(input, { ...init, signal }));

  /** The same for requests that may take long. */
  readonly patientFetch: PatientFetch = (url, request) =>
    this.#watched(url, request.signal, (signal) => this.#patientFetch(url, { ...request, signal }));

  async #watched(
    url: string,
    given: AbortSignal | null,
    ask: (signal: AbortSignal) => Promise<Response>,
  ): Promise<Response> {
    const owed = { origin: new URL(url).origin, stop: new AbortController() };
    const { signal } = owed.stop;
    const stopListening = given === null ? () => undefined : onAbort(given, () => owed.stop.abort(given.reason));
    const end = () => {
      stopListening();
      this.#settled(owed);
    };
    this.#begun(owed);
    try {
      const answer = await ask(signal);
      this.#heard(owed.origin);
      return this.#followed(answer, owed, end);
    } catch (error) {
      end();
      // A request that was given up may fail with another error, such as that of the connection.
      if (signal.reason instanceof HostSilent) throw signal.reason;
      throw error;
    }
  }

  /** The same answer, whose host is looked after until its body has ended. */
  #followed(answer: Response, owed: Owed, end: () => void): Response {
    if (answer.body === null) {
      end();
      return answer;
    }
    const body = followedBody(answer.body.getReader(), {
      signal: owed.stop.signal,
      heard: () => this.#heard(owed.origin),
      ended: end,
    });
    return new Response(body, { status: answer.status, headers: answer.headers });
  }

  #begun(owed: Owed): void {
    if (this.#owed.size === 0) this.#silentMs = 0;
    this.#owed.add(owed);
    this.#endTicks ??= this.#every(tickMs, () => this.#tick());
  }

  #settled(owed: Owed): void {
    this.#owed.delete(owed);
    if (this.#owed.size > 0) return;
    this.#endTicks?.();
    this.#endTicks = null;
    this.#asking?.abort();
    this.#asking = null;
    this.#isMentioned = false;
  }

  #heard(origin: string): void {
    this.#silentMs = 0;
    if (this.#isMentioned) this.#report(`the host at ${origin} answers again`);
    this.#isMentioned = false;
  }

  #tick(): void {
    this.#silentMs += tickMs;
    const [owed] = this.#owed;
    if (owed === undefined) return;
    if (this.#silentMs >= quietMs && this.#asking === null) this.#ask(owed.origin);
    if (this.#silentMs >= mentionedMs && !this.#isMentioned) this.#mention(owed.origin);
    if (this.#silentMs >= givenUpMs) this.#giveUp();
  }

  /** Asks a host whether it works. It may answer late, and then counts at that moment. */
  #ask(origin: string): void {
    const asking = new AbortController();
    this.#asking = asking;
    const request = { method: 'GET', headers: {}, body: null, signal: asking.signal };
    this.#patientFetch(`${origin}/v1/health`, request)
      .then((answer) => {
        this.#heard(origin);
        return answer.body?.cancel();
      })
      .catch(() => undefined)
      .finally(() => {
        if (this.#asking === asking) this.#asking = null;
      });
  }

  #mention(origin: string): void {
    this.#isMentioned = true;
    const left = Math.round((givenUpMs - mentionedMs) / 1000);
    void this.#look().then((cause) => {
      if (!this.#isMentioned) return;
      const why = cause ?? 'it is busy, or its process or container is stopped';
      this.#report(`the host at ${origin} does not answer: ${why}; waiting ${left} s more for it`);
    });
  }

  #giveUp(): void {
    for (const { origin, stop } of this.#owed) stop.abort(new HostSilent(origin, silentHint));
  }
}

const silentHint =
  'continue its process if it is stopped (kill -CONT), or its container; or end it (kill -KILL) and run the command again';
