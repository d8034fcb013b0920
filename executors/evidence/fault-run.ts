import type { Range } from '../../contract/base/grammar.ts';

/** A run of windows of one fault; `highest` is the highest measure among them. */
export interface FoundRun extends Range {
  readonly highest: number;
}

/** Collects runs of windows: a window has the fault, has it not and ends the run, or decides nothing (null). */
export class FaultRun {
  readonly #found: FoundRun[] = [];
  #open: { startMs: number; endMs: number; highest: number } | null = null;

  add(hasFault: boolean | null, { startMs, endMs }: Range, measure = 0): void {
    if (hasFault === false) this.#close();
    if (hasFault !== true) return;
    if (this.#open === null) this.#open = { startMs, endMs, highest: measure };
    else this.#open = { ...this.#open, endMs, highest: Math.max(this.#open.highest, measure) };
  }

  /** The runs that lasted so long; nothing comes any more. */
  found(leastMs: number): FoundRun[] {
    this.#close();
    return this.#found.filter(({ startMs, endMs }) => endMs - startMs >= leastMs);
  }

  #close(): void {
    if (this.#open !== null) this.#found.push(this.#open);
    this.#open = null;
  }
}
