import type { Clock } from '../../contract/base/clock.ts';
import { resultInSlices, type Steps } from '../../formats/steps.ts';

// Node fires a timer above this at once; a longer wait is taken in stages.
const longestTimerMs = 2 ** 31 - 1;

/** The clock of the real host. Its timers never keep the process alive. */
export const systemClock: Clock = {
  now: () => Date.now(),
  setTimeout: (run, ms) => {
    const timer = { current: undefined as NodeJS.Timeout | undefined };
    const arm = (left: number) => {
      const stage = Math.min(left, longestTimerMs);
      timer.current = setTimeout(() => (left > stage ? arm(left - stage) : run()), stage);
      timer.current.unref();
    };
    arm(ms);
    return timer;
  },
  clearTimeout: (timer) => clearTimeout((timer as { current: NodeJS.Timeout | undefined } | null | undefined)?.current),
};

/** Others may wait this long for a piece of work that takes no breath by itself. */
const sliceMs = 3;

/**
 * Divides long computations into short slices, so that requests are answered in between. All computations of one instance
 * share the slice. `elapsed` is a steady clock in milliseconds.
 */
export class TimeSlices {
  readonly #elapsed: () => number;
  #end = Number.NEGATIVE_INFINITY;

  constructor(elapsed: () => number = () => performance.now()) {
    this.#elapsed = elapsed;
  }

  /** Resolves at once within a slice, and after everything that waits to be done where the slice is over. */
  readonly pause = (): Promise<void> | undefined => {
    if (this.#elapsed() < this.#end) return undefined;
    return new Promise((resolve) => {
      setImmediate(() => {
        this.#end = this.#elapsed() + sliceMs;
        resolve();
      });
    });
  };

  /** Runs a computation step by step. */
  run<Value>(steps: Steps<Value>): Promise<Value> {
    return resultInSlices(steps, this.pause);
  }
}
