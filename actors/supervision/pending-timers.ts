import type { Clock } from '../../contract/base/clock.ts';

/** Timers that end together with their owner. */
export class PendingTimers {
  readonly #clock: Clock;
  readonly #pending = new Set<unknown>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Calls back once after `ms`, unless they are cleared before. */
  set(ms: number, run: () => void): void {
    const timer = this.#clock.setTimeout(() => {
      this.#pending.delete(timer);
      run();
    }, ms);
    this.#pending.add(timer);
  }

  clear(): void {
    for (const timer of this.#pending) this.#clock.clearTimeout(timer);
    this.#pending.clear();
  }
}
