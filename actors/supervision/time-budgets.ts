import type { Clock } from '../../contract/base/clock.ts';

/**
 * Time is charged in pieces of this length, and the keeper of the rest is called after each. If a host dies during a step, the
 * step is charged for all but the last piece. A study writes two small rows a minute for that.
 */
export const chargedEveryMs = 30_000;

/** Why the time of an actor stands still: it waits for something outside its control, or for an engine with limits of its own. */
type PauseReason = 'waiting' | 'engine';

interface Budget {
  /** The rest of the time without the piece that is running. */
  remainingMs: number;
  /** The time when the running piece began; null while the clock is paused. */
  since: number | null;
  /** How long the running piece is. */
  pieceMs: number;
  /** What the time waits for; empty while it runs. */
  readonly holds: Set<PauseReason>;
  /** Called when it is used up; null while no actor asked for it. */
  reached: (() => void) | null;
  timer: unknown;
}

/** Deadlines that count only time during which the host is up: what is left is kept in the actor's row. */
export class TimeBudgets {
  readonly #clock: Clock;
  readonly #budgets = new Map<string, Budget>();
  #charged: (id: string) => void = () => undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Calls back whenever an actor that continues was charged for a piece of its time. */
  onCharged(charged: (id: string) => void): void {
    this.#charged = charged;
  }

  /** Sets the time that an actor may still use; it starts to run with `run`. */
  set(id: string, remainingMs: number): void {
    this.#budgets.set(id, { remainingMs, since: null, pieceMs: 0, holds: new Set(), reached: null, timer: null });
  }

  /** Lets the time run and calls back when it is used up. Returns what stops the clock. */
  run(id: string, reached: () => void): () => void {
    const budget = this.#budgets.get(id);
    if (budget === undefined) return () => undefined;
    budget.reached = reached;
    this.#start(id, budget);
    return () => {
      this.#stop(budget);
      budget.reached = null;
    };
  }

  /** Pauses the time of an actor for a reason. It runs again after `resume` for each reason. */
  pause(id: string, reason: PauseReason): void {
    const budget = this.#budgets.get(id);
    if (budget === undefined) return;
    if (budget.holds.size === 0) this.#stop(budget);
    budget.holds.add(reason);
  }

  /** Ends a pause. */
  resume(id: string, reason: PauseReason): void {
    const budget = this.#budgets.get(id);
    if (budget === undefined || !budget.holds.delete(reason)) return;
    if (budget.holds.size === 0) this.#start(id, budget);
  }

  /** Milliseconds left, or null for an actor without a budget. */
  remaining(id: string): number | null {
    const budget = this.#budgets.get(id);
    return budget === undefined ? null : this.#left(budget);
  }

  forget(id: string): void {
    this.#budgets.delete(id);
  }

  #start(id: string, budget: Budget): void {
    if (budget.holds.size > 0 || budget.reached === null) return;
    budget.since = this.#clock.now();
    budget.pieceMs = Math.min(budget.remainingMs, chargedEveryMs);
    budget.timer = this.#clock.setTimeout(() => this.#charge(id, budget), budget.pieceMs);
  }

  /** A piece is over: a timer says so, which a clock that is set back or forward does not move. */
  #charge(id: string, budget: Budget): void {
    budget.remainingMs -= budget.pieceMs;
    budget.since = null;
    if (budget.remainingMs === 0) {
      budget.reached?.();
      return;
    }
    this.#start(id, budget);
    this.#charged(id);
  }

  #stop(budget: Budget): void {
    this.#clock.clearTimeout(budget.timer);
    budget.remainingMs = this.#left(budget);
    budget.since = null;
  }

  #left({ remainingMs, since, pieceMs }: Budget): number {
    const elapsed = since === null ? 0 : this.#clock.now() - since;
    return remainingMs - Math.min(pieceMs, Math.max(0, elapsed));
  }
}
