import type { Clock } from '../../contract/base/clock.ts';
import type { WorkQueue } from './work-queue.ts';

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

/** At most this many restarts of one actor within the window; then it is ended by its chart. */
const restartLimit = { restarts: 3, windowMs: 60_000, firstDelayMs: 100 } as const;

/**
 * Notes a crash at `now` (ms of a monotonic clock) in an actor's `crashes`, and returns the milliseconds until it may start
 * again. The delay doubles each time within the window, and is null once the window has seen too many.
 */
export function restartDelay(crashes: number[], now: number): number | null {
  crashes.push(now);
  const recent = crashes.filter((time) => now - time < restartLimit.windowMs).length;
  return recent > restartLimit.restarts ? null : restartLimit.firstDelayMs * 2 ** (recent - 1);
}

interface Turn {
  readonly begin: () => void;
  isDue: boolean;
}

/**
 * Runs work alone, one piece at a time, if hosts died again and again during it. When its time has come, no queue grants new
 * entries from then on. Once the earlier ones are done, the piece begins. The queues go on as soon as it has moved or ended.
 */
export class IsolationQueue {
  readonly #timers: PendingTimers;
  readonly #queues: () => Iterable<WorkQueue>;
  // In the order of joining.
  readonly #waiting = new Map<string, Turn>();
  #current: string | null = null;

  constructor(clock: Clock, queues: () => Iterable<WorkQueue>) {
    this.#timers = new PendingTimers(clock);
    this.#queues = queues;
  }

  /** Calls `begin` once `delayMs` are over and nothing else is at work. */
  wait(id: string, delayMs: number, begin: () => void): void {
    const turn: Turn = { begin, isDue: false };
    this.#waiting.set(id, turn);
    this.#timers.set(delayMs, () => {
      turn.isDue = true;
      this.advance();
    });
  }

  isWaiting(id: string): boolean {
    return this.#waiting.has(id);
  }

  /** The work has moved, or ended: it need not be alone any more. Harmless for all other work. */
  leave(id: string): void {
    if (!this.#waiting.delete(id) && this.#current !== id) return;
    if (this.#current === id) this.#current = null;
    if (this.#current === null && this.#due() === undefined) for (const queue of this.#queues()) queue.release();
    this.advance();
  }

  /** Must be called when other work may have come to its end. */
  advance(): void {
    if (this.#waiting.size === 0 || this.#current !== null) return;
    const due = this.#due();
    if (due === undefined) return;
    const queues = [...this.#queues()];
    for (const queue of queues) queue.hold();
    if (!queues.every((queue) => queue.isQuiet)) return;
    const [id, { begin }] = due;
    this.#waiting.delete(id);
    this.#current = id;
    begin();
  }

  stop(): void {
    this.#timers.clear();
    this.#waiting.clear();
  }

  #due(): [string, Turn] | undefined {
    return [...this.#waiting].find(([, { isDue }]) => isDue);
  }
}
