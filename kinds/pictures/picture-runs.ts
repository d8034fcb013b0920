import { z } from 'zod';
import type { Range } from '../../contract/base/grammar.ts';

/** Pictures of one property without a break; `measure` is the extreme of what was measured on them. */
const pictureRun = z.strictObject({ startMs: z.number(), endMs: z.number(), measure: z.number() });
type PictureRun = Readonly<z.infer<typeof pictureRun>>;

/** Runs as they are kept between two windows of a pass; the last picture is null before the first one. */
export const pictureRunsState = z.strictObject({
  found: z.array(pictureRun),
  open: z.strictObject({ startMs: z.number(), measure: z.number() }).nullable(),
  lastMs: z.number().nullable(),
  spacingMs: z.number(),
});
type PictureRunsState = z.infer<typeof pictureRunsState>;

/** Collects runs that last long enough, in the order of time; a run ends with the first picture that is not of it. */
export class PictureRuns {
  readonly #found: PictureRun[];
  readonly #leastMs: number;
  #open: { startMs: number; measure: number } | null;
  #lastMs: number | null;
  #spacingMs: number;

  constructor(leastMs: number, from: PictureRunsState | null = null) {
    this.#leastMs = leastMs;
    this.#found = from?.found ?? [];
    this.#open = from?.open ?? null;
    this.#lastMs = from?.lastMs ?? null;
    this.#spacingMs = from?.spacingMs ?? 0;
  }

  save(): PictureRunsState {
    return { found: this.#found, open: this.#open, lastMs: this.#lastMs, spacingMs: this.#spacingMs };
  }

  /** The next picture; to be called before it is of a run or ends one. */
  next(atMs: number): void {
    this.#spacingMs = this.#lastMs === null ? 0 : atMs - this.#lastMs;
    this.#lastMs = atMs;
  }

  go(atMs: number, measure: number): void {
    if (this.#open === null) this.#open = { startMs: atMs, measure };
    else this.#open.measure = measure;
  }

  /** The measure of the open run; null without one. */
  get measure(): number | null {
    return this.#open?.measure ?? null;
  }

  stop(atMs: number): void {
    const open = this.#open;
    this.#open = null;
    if (open !== null && atMs - open.startMs >= this.#leastMs) this.#found.push({ ...open, endMs: atMs });
  }

  /** The last picture is shown as long as the one before it. */
  end(): void {
    this.stop((this.#lastMs ?? 0) + this.#spacingMs);
  }

  /** The runs so far, cut to a range. */
  within(range: Range): PictureRun[] {
    return clippedTo(this.#found, range);
  }
}

/** Spans cut to a range; those outside it are left out. */
export const clippedTo = <Span extends Range>(spans: readonly Span[], { startMs, endMs }: Range): Span[] =>
  spans
    .map((span) => ({ ...span, startMs: Math.max(span.startMs, startMs), endMs: Math.min(span.endMs, endMs) }))
    .filter((span) => span.startMs < span.endMs);

/** The first run that is shorter than its evidence states, though the range does not cut it off; -1 for none. */
export const shortRunAt = (runs: readonly Range[], range: Range, leastMs: number): number =>
  runs.findIndex(
    ({ startMs, endMs }) => startMs !== range.startMs && endMs !== range.endMs && endMs - startMs < leastMs,
  );
