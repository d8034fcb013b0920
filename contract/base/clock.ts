/** Time as the domain sees it; the real one wraps the system clock, tests step it by hand. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  setTimeout(run: () => void, ms: number): unknown;
  clearTimeout(timer: unknown): void;
}
