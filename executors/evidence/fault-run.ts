import { z } from 'zod';
import type { Range } from '../../contract/base/grammar.ts';

const run = z.strictObject({ startMs: z.number(), endMs: z.number(), highest: z.number() });

/** A run of windows of one fault; `highest` is the highest measure among them. */
export type FoundRun = Readonly<z.infer<typeof run>>;

/** The runs as they are kept between two windows of a pass. */
export const faultRunState = z.strictObject({ found: z.array(run), open: run.nullable() });
export type FaultRunState = z.infer<typeof faultRunState>;

/** Collects runs of windows: a window has the fault, has it not and ends the run, or decides nothing (null). */
export class FaultRun {
  readonly #found: FoundRun[];
  #open: FoundRun | null;

  constructor({ found, open }: FaultRunState = { found: [], open: null }) {
    this.#found = found;
    this.#open = open;
  }

  save(): FaultRunState {
    return { found: [...this.#found], open: this.#open };
  }

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
