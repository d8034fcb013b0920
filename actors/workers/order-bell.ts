import type { Clock } from '../../contract/base/clock.ts';
import type { OrderNews } from '../../executors/workers/order-queue.ts';

/** What the queue told of one order, for one operation that waits for it. */
export class OrderBell {
  /** The worker that gave the order back last, and why; null while none did. */
  refused: { readonly worker: string; readonly reason: string } | null = null;
  /** Why it cannot be carried out at all; null while it can. */
  lost: string | null = null;
  /** The end of the window that had been kept when workers were lost over it before, in ms; 0 where none had. */
  reachedMs = 0;
  readonly #measured: (completedMs: number, totalMs: number) => void;
  #isRung = false;
  #ring: () => void = () => undefined;

  constructor(measured: (completedMs: number, totalMs: number) => void) {
    this.#measured = measured;
  }

  hear(news: OrderNews): void {
    if (news.kind === 'measured') {
      this.#measured(news.completedMs, news.totalMs);
      return;
    }
    if (news.kind === 'refused') this.refused = { worker: news.worker, reason: news.reason };
    if (news.kind === 'lost') this.lost = news.reason;
    this.#isRung = true;
    this.#ring();
  }

  /** Workers were lost over it, but it has come as far as this meanwhile, in ms. */
  forgive(reachedMs: number): void {
    this.lost = null;
    this.reachedMs = reachedMs;
  }

  /** Waits until there are news, at most so long, in ms. Rejects once the signal is aborted. */
  async rung(clock: Clock, atMostMs: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (!this.#isRung) {
      await new Promise<void>((resolve) => {
        const done = () => {
          clock.clearTimeout(timer);
          signal.removeEventListener('abort', done);
          resolve();
        };
        const timer = clock.setTimeout(done, atMostMs);
        this.#ring = done;
        signal.addEventListener('abort', done, { once: true });
      });
    }
    this.#isRung = false;
    signal.throwIfAborted();
  }
}
