/** Others may wait this long for a piece of work that takes no breath by itself. */
const sliceMs = 3;

/**
 * Divides long computations into short slices, so that requests are answered in between. All computations of one instance
 * share the slice.
 */
export class TimeSlices {
  #end = 0;

  /** Resolves at once within a slice, and after everything that waits to be done where the slice is over. */
  readonly pause = (): Promise<void> | undefined => {
    if (performance.now() < this.#end) return undefined;
    return new Promise((resolve) => {
      setImmediate(() => {
        this.#end = performance.now() + sliceMs;
        resolve();
      });
    });
  };
}
