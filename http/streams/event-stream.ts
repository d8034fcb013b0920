import { z } from 'zod';
import type { Clock } from '../../contract/base/clock.ts';
import { ServiceError } from '../../contract/base/errors.ts';
import { eventStreamType, heartbeatMs, retryMs } from '../../contract/journal.ts';
import { type Answer, failedAnswer, jsonHeaders, SentBody } from '../exchange/answer.ts';
import { type Report, requestIdField } from '../exchange/request-log.ts';
import { Flow } from '../exchange/sent-bodies.ts';
import { type Exchange, gatheredBytes, type Headers, type RequestHead } from '../listener/listener.ts';

/** The field that a client of a stream sends in its head, for descriptions. */
export const streamHeaders = {
  'Last-Event-ID': z
    .string()
    .describe('the id of the last event that a client of a stream has; browsers send it, and it wins over the query'),
};

/** The id after which a client continues; null where it names none. Throws `invalid_cursor` where it names several. */
export function lastEventId(head: RequestHead): string | null {
  const id = head.header('last-event-id');
  if (id === undefined) return null;
  if (head.count('last-event-id') !== 1)
    throw new ServiceError('invalid_cursor', 'the request has more than one Last-Event-ID; send one');
  return id;
}

/** The ranges of media types that JSON is in. The most specific one that a client names has the weight of JSON. */
const rangesOfJson = ['application/json', 'application/*', '*/*'];

/**
 * True if a client prefers a stream of events: it names it, at least as much as JSON (RFC 9110, 12.5.1). A client that takes
 * anything gets JSON, as ever.
 */
export function asksForStream(head: RequestHead): boolean {
  const ranges = (head.header('accept') ?? '').split(',').map(rangeOf);
  const weightOf = (type: string) => ranges.find((range) => range.type === type)?.weight;
  const weight = weightOf(eventStreamType) ?? 0;
  const [weightOfJson = 0] = rangesOfJson.flatMap((type) => weightOf(type) ?? []);
  return weight > 0 && weight >= weightOfJson;
}

function rangeOf(text: string): { readonly type: string; readonly weight: number } {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const quality = parameters.find((parameter) => parameter.startsWith('q='));
  const weight = quality === undefined ? 1 : Number(quality.slice(2));
  return { type, weight: weight >= 0 && weight <= 1 ? weight : 0 };
}

/** The fields of an event beside its data. */
interface FrameHead {
  /** How clients tell events apart. */
  readonly event: string;
  /** The id that a client sends as `Last-Event-ID` to continue after this event; events without one leave the last id as it was. */
  readonly id?: string;
}

const newline = '\n';
const frameEnd = Buffer.from('\n\n');

/** One event of a stream (HTML Living Standard, 9.2.6). The data is JSON without line breaks. */
export function sseFrame({ event, id }: FrameHead, data: object | Uint8Array): Buffer {
  const idLine = id === undefined ? '' : `id: ${id}${newline}`;
  const head = Buffer.from(`${idLine}event: ${event}${newline}data: `);
  const json = data instanceof Uint8Array ? data : Buffer.from(JSON.stringify(data));
  return Buffer.concat([head, json, frameEnd]);
}

/** A line that clients pass over. */
const sseComment = Buffer.from(':\n\n');

/** The same, long enough to be seen by the system (`Exchange.streamOpen`). */
const ssePadding = Buffer.from(`:${' '.repeat(gatheredBytes)}\n\n`);

/** Tells clients how long to wait before they ask again for a stream that was cut. */
const sseRetry = (ms: number): Buffer => Buffer.from(`retry: ${ms}\n\n`);

/** Beats that come due so close together are one: a stream gets its comment so much early at most. */
const togetherMs = 500;

/** One timer for the comments of all streams, however many there are. */
export class Keepalive {
  readonly #clock: Pick<Clock, 'setTimeout' | 'clearTimeout'>;
  readonly #elapsed: () => number;
  /** The streams in the order in which they are due: all wait for the same time. */
  readonly #due = new Map<() => void, number>();
  #timer: unknown = null;

  /** `elapsed` counts milliseconds on a monotonic clock: if a clock were set back, streams would fall silent. */
  constructor(clock: Pick<Clock, 'setTimeout' | 'clearTimeout'>, elapsed: () => number = () => performance.now()) {
    this.#clock = clock;
    this.#elapsed = elapsed;
  }

  /** Calls back after each pause of `heartbeatMs`, until the returned function is called. */
  add(beat: () => void): () => void {
    this.#due.set(beat, this.#elapsed() + heartbeatMs);
    if (this.#timer === null) this.#arm();
    return () => {
      this.#due.delete(beat);
      if (this.#due.size > 0) return;
      this.#clock.clearTimeout(this.#timer);
      this.#timer = null;
    };
  }

  #arm(): void {
    const [first] = this.#due.values();
    this.#timer = first === undefined ? null : this.#clock.setTimeout(this.#fire, first - this.#elapsed());
  }

  readonly #fire = (): void => {
    this.#timer = null;
    const now = this.#elapsed();
    for (const [beat, due] of this.#due) {
      if (due > now + togetherMs) break;
      this.#due.delete(beat);
      this.#due.set(beat, now + heartbeatMs);
      beat();
    }
    if (this.#timer === null) this.#arm();
  };
}

/** One item that a stream follows. The stream calls it only when there is room, so that nothing is kept for a slow reader. */
export interface Feed {
  /** The next frames, or null while there is nothing new. */
  read(): Promise<Uint8Array | null> | Uint8Array | null;
  /** Calls back whenever there may be something new, until the returned function is called. */
  watch(wake: () => void): () => void;
}

export interface StreamContext {
  /** Beats for all streams. */
  readonly keepalive: Keepalive;
  readonly report: Report;
}

/**
 * A stream of events as the body of an answer. It waits for its feeds without polling them. It ends when its feed is over, when
 * the client leaves, or when the host stops.
 */
export class EventStream extends SentBody {
  readonly #context: StreamContext;
  readonly #feeds: readonly Feed[];
  readonly #lastsFor: { readonly isOver: boolean } | null;

  constructor(context: StreamContext, feeds: readonly Feed[], lastsFor: { readonly isOver: boolean } | null = null) {
    super();
    this.#context = context;
    this.#feeds = feeds;
    this.#lastsFor = lastsFor;
  }

  override async send(exchange: Exchange, status: number, headers: Headers): Promise<void> {
    // Said here, because every answer for an origin says less.
    const flow = new Flow(exchange.streamOpen(status, { ...headers, Vary: 'Origin, Accept' }, ssePadding));
    const news = new Signal();
    const stop = () => {
      flow.stop();
      news.notify();
    };
    exchange.onAbort(stop);
    exchange.onClosing(stop);
    if (exchange.head.method === 'HEAD' || exchange.aborted) return;
    const stopKeepalive = this.#context.keepalive.add(() => flow.offer(sseComment));
    const notify = () => news.notify();
    const forget = this.#feeds.map((feed) => feed.watch(notify));
    try {
      await flow.write(sseRetry(retryMs));
      await this.#pump(flow, news);
    } catch (error) {
      const { body } = failedAnswer(error, (line) => this.#context.report(line, headers[requestIdField]));
      await flow.write(sseFrame({ event: 'refused' }, body));
    } finally {
      for (const each of forget) each();
      stopKeepalive();
      flow.stop();
    }
  }

  async #pump(flow: Flow, news: Signal): Promise<void> {
    while (!flow.isOver) {
      news.reset();
      let isIdle = true;
      for (const feed of this.#feeds) {
        const frames = await feed.read();
        if (frames === null) continue;
        isIdle = false;
        await flow.write(frames);
        if (flow.isOver || this.#lastsFor?.isOver === true) return;
      }
      if (isIdle) await news.notified();
    }
  }
}

/** Wakes one waiter; a notification before it waits counts. */
class Signal {
  #isNotified = false;
  #wake = (): void => undefined;

  notify(): void {
    this.#isNotified = true;
    this.#wake();
  }

  reset(): void {
    this.#isNotified = false;
  }

  async notified(): Promise<void> {
    if (this.#isNotified) return;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
  }
}

/** The answer that a stream of events is. */
export const streamAnswer = (body: EventStream): Answer => ({
  status: 200,
  headers: { ...jsonHeaders, 'Content-Type': eventStreamType },
  body,
});
