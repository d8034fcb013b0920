import type { Clock } from '../../contract/base/clock.ts';

interface Budget {
  remainingMs: number;
  /** When its time began to run; null while it stands. */
  since: number | null;
  isPaused: boolean;
  /** Called when it is used up; null while no actor asked for it. */
  reached: (() => void) | null;
  timer: unknown;
}

/** Deadlines that count only time during which the host is up: what is left is kept in the actor's row. */
export class TimeBudgets {
  readonly #clock: Clock;
  readonly #budgets = new Map<string, Budget>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Says how much an actor may still use; the time starts to run with `run`. */
  set(id: string, remainingMs: number): void {
    this.#budgets.set(id, { remainingMs, since: null, isPaused: false, reached: null, timer: null });
  }

  /** Lets the time run and calls back when it is used up. Returns what stops the clock. */
  run(id: string, reached: () => void): () => void {
    const budget = this.#budgets.get(id);
    if (budget === undefined) return () => undefined;
    budget.reached = reached;
    this.#start(budget);
    return () => {
      this.#stop(budget);
      budget.reached = null;
    };
  }

  /** Lets the time of an actor stand while it waits for something that is not up to it. */
  pause(id: string): void {
    const budget = this.#budgets.get(id);
    if (budget === undefined || budget.isPaused) return;
    this.#stop(budget);
    budget.isPaused = true;
  }

  /** Lets it run again. */
  resume(id: string): void {
    const budget = this.#budgets.get(id);
    if (budget === undefined || !budget.isPaused) return;
    budget.isPaused = false;
    this.#start(budget);
  }

  /** Milliseconds left, or null for an actor without a budget. */
  remaining(id: string): number | null {
    const budget = this.#budgets.get(id);
    return budget === undefined ? null : this.#left(budget);
  }

  forget(id: string): void {
    this.#budgets.delete(id);
  }

  #start(budget: Budget): void {
    if (budget.isPaused || budget.reached === null) return;
    budget.since = this.#clock.now();
    budget.timer = this.#clock.setTimeout(budget.reached, Math.max(0, budget.remainingMs));
  }

  #stop(budget: Budget): void {
    this.#clock.clearTimeout(budget.timer);
    budget.remainingMs = this.#left(budget);
    budget.since = null;
  }

  #left({ remainingMs, since }: Budget): number {
    return Math.max(0, remainingMs - (since === null ? 0 : this.#clock.now() - since));
  }
}
