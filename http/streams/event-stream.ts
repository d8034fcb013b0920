import { eventStreamType, retryMs } from '../../contract/journal/event-stream.ts';
import { type Answer, failedAnswer, jsonHeaders, SentBody } from '../exchange/answer.ts';
import { Flow } from '../exchange/flow.ts';
import { requestIdField } from '../exchange/request-id.ts';
import type { Report } from '../exchange/request-log.ts';
import type { Exchange, Headers } from '../listener/listener.ts';
import type { Heart } from './heart.ts';
import { sseComment, sseFrame, ssePadding, sseRetry } from './sse-frame.ts';

/** One thing that a stream follows. It is asked only when there is room, so that nothing is kept for a slow reader. */
export interface Feed {
  /** The next frames, or null while there is nothing new. */
  read(): Promise<Uint8Array | null> | Uint8Array | null;
  /** Calls back whenever there may be something new, until the returned function is called. */
  watch(wake: () => void): () => void;
}

export interface StreamContext {
  /** Beats for all streams. */
  readonly heart: Heart;
  readonly report: Report;
}

/**
 * A stream of events as the body of an answer. It waits for its feeds without asking them, and ends when the feed that it
 * lasts for is over, when the client leaves, or when the host stops.
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
    const bell = new Bell();
    const stop = () => {
      flow.stop();
      bell.ring();
    };
    exchange.onAbort(stop);
    exchange.onClosing(stop);
    if (exchange.head.method === 'HEAD' || exchange.aborted) return;
    const stopHeart = this.#context.heart.add(() => flow.offer(sseComment));
    const ring = () => bell.ring();
    const forget = this.#feeds.map((feed) => feed.watch(ring));
    try {
      await flow.write(sseRetry(retryMs));
      await this.#pump(flow, bell);
    } catch (error) {
      const { body } = failedAnswer(error, (line) => this.#context.report(line, headers[requestIdField]));
      await flow.write(sseFrame({ event: 'refused' }, body));
    } finally {
      for (const each of forget) each();
      stopHeart();
      flow.stop();
    }
  }

  async #pump(flow: Flow, bell: Bell): Promise<void> {
    while (!flow.isOver) {
      bell.hush();
      let isIdle = true;
      for (const feed of this.#feeds) {
        const frames = await feed.read();
        if (frames === null) continue;
        isIdle = false;
        await flow.write(frames);
        if (flow.isOver || this.#lastsFor?.isOver === true) return;
      }
      if (isIdle) await bell.rung();
    }
  }
}

/** Wakes one waiter; what rang before it waits counts. */
class Bell {
  #hasRung = false;
  #wake = (): void => undefined;

  ring(): void {
    this.#hasRung = true;
    this.#wake();
  }

  hush(): void {
    this.#hasRung = false;
  }

  async rung(): Promise<void> {
    if (this.#hasRung) return;
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
