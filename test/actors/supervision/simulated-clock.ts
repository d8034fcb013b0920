import type { Clock } from '../../../contract/base/clock.ts';

/** A clock that only a test moves; timers fire during `advance`, in the order of their times. */
export class SimulatedClock implements Clock {
  /** Moves forward alone, and timers with it. */
  #now: number;
  /** How far the clock on the wall was set. */
  #set = 0;
  #lastTimer = 0;
  readonly #timers = new Map<number, { readonly dueAt: number; readonly run: () => void }>();

  constructor(now: number) {
    this.#now = now;
  }

  /** How many timers are set. */
  get pending(): number {
    return this.#timers.size;
  }

  now(): number {
    return this.#now + this.#set;
  }

  /** The time that has passed, whatever the clock was set to. */
  readonly elapsed = (): number => this.#now;

  /** Sets the clock forward or, by a negative number, back; timers fire when they would have. */
  set(ms: number): void {
    this.#set += ms;
  }

  setTimeout(run: () => void, ms: number): number {
    this.#lastTimer += 1;
    this.#timers.set(this.#lastTimer, { dueAt: this.#now + ms, run });
    return this.#lastTimer;
  }

  clearTimeout(timer: unknown): void {
    this.#timers.delete(timer as number);
  }

  advance(ms: number): void {
    const end = this.#now + ms;
    for (let next = this.#dueBefore(end); next !== undefined; next = this.#dueBefore(end)) {
      const [id, { dueAt, run }] = next;
      this.#timers.delete(id);
      this.#now = dueAt;
      run();
    }
    this.#now = end;
  }

  #dueBefore(end: number) {
    return [...this.#timers].filter(([, { dueAt }]) => dueAt <= end).sort(([, a], [, b]) => a.dueAt - b.dueAt)[0];
  }
}
