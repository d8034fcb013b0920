import type { Clock } from '../../../contract/base/clock.ts';

/** A clock whose timers only run when the test says so. */
export class HandClock implements Clock {
  readonly #timers = new Map<number, { run: () => void; ms: number }>();
  #next = 1;

  now(): number {
    return 0;
  }

  setTimeout(run: () => void, ms: number): number {
    this.#timers.set(this.#next, { run, ms });
    return this.#next++;
  }

  clearTimeout(timer: unknown): void {
    this.#timers.delete(timer as number);
  }

  /** Whether a timer of this length is set. */
  waitsFor(ms: number): boolean {
    return [...this.#timers.values()].some((timer) => timer.ms === ms);
  }

  /** Runs the timers of this length. */
  pass(ms: number): void {
    for (const [id, timer] of this.#timers) {
      if (timer.ms !== ms) continue;
      this.#timers.delete(id);
      timer.run();
    }
  }
}
