import type { Steps } from '../../formats/steps.ts';

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
  async run<Value>(steps: Steps<Value>): Promise<Value> {
    for (;;) {
      const { done, value } = steps.next();
      if (done === true) return value;
      await this.pause();
    }
  }
}
