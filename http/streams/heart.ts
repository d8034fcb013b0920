import type { Clock } from '../../contract/base/clock.ts';
import { heartbeatMs } from '../../contract/journal/event-stream.ts';

/** Beats that come due so close together are one: a stream gets its comment so much early at most. */
const togetherMs = 500;

/** One timer for the comments of all streams, however many there are. */
export class Heart {
  readonly #clock: Pick<Clock, 'setTimeout' | 'clearTimeout'>;
  readonly #elapsed: () => number;
  /** When each stream is due, in this order: all wait for the same time. */
  readonly #due = new Map<() => void, number>();
  #timer: unknown = null;

  /** `elapsed` counts milliseconds on a clock that nobody sets: where one is set back, streams would fall silent. */
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
