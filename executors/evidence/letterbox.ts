import { z } from 'zod';
import type { Range } from '../../contract/base/grammar.ts';
import type { LetterboxFact } from '../../contract/evidence/picture-form.ts';
import { DetectionFailure } from '../detector/detection-failure.ts';
import { BarFinder, barFinderState, type FoundBars, foundBars } from '../pictures/bar-finder.ts';
import { type FrameMetadata, numberIn } from './frame-metadata.ts';
import { VIDEO_TICKS_PER_MS } from './timed-frames.ts';

/** Bars as they are kept between two windows of a pass; times are of the first and of the last picture that was looked at. */
export const letterboxState = z.strictObject({
  found: z.array(foundBars),
  finder: barFinderState,
  firstMs: z.number().nullable(),
  lastMs: z.number().nullable(),
});
export type LetterboxState = z.infer<typeof letterboxState>;

/** Collects the bars of a range from what ffmpeg's `cropdetect` says of one picture every half second, and `bbox` of its size. */
export class Letterbox {
  readonly #range: Range;
  readonly #seekMs: number;
  readonly #found: FoundBars[];
  readonly #finder: BarFinder;
  #firstMs: number | null;
  #lastMs: number | null;

  /** `seekMs` is the source time of tick 0. */
  constructor(range: Range, seekMs: number, from: LetterboxState | null = null) {
    this.#range = range;
    this.#seekMs = seekMs;
    this.#found = from?.found ?? [];
    this.#finder = new BarFinder((bars) => this.#found.push(bars), from?.finder);
    this.#firstMs = from?.firstMs ?? null;
    this.#lastMs = from?.lastMs ?? null;
  }

  save(): LetterboxState {
    return { found: this.#found, finder: this.#finder.save(), firstMs: this.#firstMs, lastMs: this.#lastMs };
  }

  add(frame: FrameMetadata): void {
    const atMs = this.#seekMs + Math.round(frame.pts / VIDEO_TICKS_PER_MS);
    this.#firstMs ??= atMs;
    this.#lastMs = atMs;
    const size = { width: measured(frame, 'bbox.w'), height: measured(frame, 'bbox.h') };
    const [left, right] = [measured(frame, 'cropdetect.x1'), measured(frame, 'cropdetect.x2') + 1];
    const [top, bottom] = [measured(frame, 'cropdetect.y1'), measured(frame, 'cropdetect.y2') + 1];
    const visible = left < right && top < bottom ? { left, top, right, bottom } : null;
    this.#finder.add({ atMs, visible, size });
  }

  /** No picture comes any more. */
  end(): void {
    this.#finder.end(this.#range.endMs);
  }

  facts(): LetterboxFact[] {
    return this.#found.map(({ startMs, endMs, visible, size, agreeing }, index) => ({
      kind: 'letterbox',
      index,
      // The first picture that is looked at stands for what is before it.
      startMs: startMs === this.#firstMs ? this.#range.startMs : startMs,
      endMs,
      left: visible.left,
      top: visible.top,
      width: visible.right - visible.left,
      height: visible.bottom - visible.top,
      pictureWidth: size.width,
      pictureHeight: size.height,
      agreeingMilli: Math.round(1000 * agreeing),
    }));
  }
}

function measured(frame: FrameMetadata, name: string): number {
  const value = numberIn(frame, `lavfi.${name}`);
  if (value === null || !Number.isInteger(value)) throw new DetectionFailure(`ffmpeg gave no number for ${name}`);
  return value;
}
