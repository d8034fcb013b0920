import type { Clock } from '../../contract/base/clock.ts';

/** Deadlines that count only time during which the host is up: what is left is kept in the actor's row. */
export class TimeBudgets {
  readonly #clock: Clock;
  readonly #budgets = new Map<string, { remainingMs: number; since: number | null }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Says how much an actor may still use; the time starts to run with `run`. */
  set(id: string, remainingMs: number): void {
    this.#budgets.set(id, { remainingMs, since: null });
  }

  /** Lets the time run and calls back when it is used up. Returns what stops the clock. */
  run(id: string, reached: () => void): () => void {
    const budget = this.#budgets.get(id);
    if (budget === undefined) return () => undefined;
    budget.since = this.#clock.now();
    const timer = this.#clock.setTimeout(reached, Math.max(0, budget.remainingMs));
    return () => {
      this.#clock.clearTimeout(timer);
      budget.remainingMs = this.remaining(id) ?? 0;
      budget.since = null;
    };
  }

  /** Milliseconds left, or null for an actor without a budget. */
  remaining(id: string): number | null {
    const budget = this.#budgets.get(id);
    if (budget === undefined) return null;
    const used = budget.since === null ? 0 : this.#clock.now() - budget.since;
    return Math.max(0, budget.remainingMs - used);
  }

  forget(id: string): void {
    this.#budgets.delete(id);
  }
}
