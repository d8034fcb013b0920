import { z } from 'zod';
import {
  blockDifference,
  brightnessAt,
  difference,
  keptPicture,
  restoredPicture,
  SMALL_BYTES,
  type SmallPicture,
} from './small-picture.ts';

/**
 * Black as ffmpeg's `blackdetect` has it: how dark a pixel is, of full scale, and the share of such pixels. Shorter runs are
 * steps of a fade or of a strobe.
 */
export const BLACK_RULE = { pixelThreshold: 0.1, pictureShare: 0.98, leastMs: 200 } as const;

/** Frozen as ffmpeg's `freezedetect` has it: the mean distance from the first picture, of full scale (−60 dB). */
export const FROZEN_RULE = { mostChange: 0.001, leastMs: 2000 } as const;

/** Pictures of one property without a break; `measure` is the extreme of what was measured on them. */
const pictureRun = z.strictObject({ startMs: z.number(), endMs: z.number(), measure: z.number() });
type PictureRun = Readonly<z.infer<typeof pictureRun>>;

const runsState = z.strictObject({
  found: z.array(pictureRun),
  open: z.strictObject({ startMs: z.number(), measure: z.number() }).nullable(),
});
type RunsState = z.infer<typeof runsState>;

/** The runs as they are kept between two windows of a pass. */
export const pictureRunsState = z.strictObject({
  black: runsState,
  frozen: runsState,
  first: keptPicture.nullable(),
  lastMs: z.number(),
  spacingMs: z.number(),
});
type PictureRunsState = z.infer<typeof pictureRunsState>;

const PIXELS = SMALL_BYTES / 3;

// The part above the threshold is at most white: a lighter picture has too many such pixels.
const LIGHTEST_BLACK = 255 * (1 - BLACK_RULE.pictureShare * (1 - BLACK_RULE.pixelThreshold));

/** The share of black pixels of a black picture; 0 for any other. */
function blackShare({ rgb, light }: SmallPicture): number {
  if (light > LIGHTEST_BLACK) return 0;
  let share = 1;
  for (let at = 0, lighter = 0; at < SMALL_BYTES && share >= BLACK_RULE.pictureShare; at += 3) {
    if (brightnessAt(rgb, at) <= BLACK_RULE.pixelThreshold * 255) continue;
    lighter += 1;
    share = (PIXELS - lighter) / PIXELS;
  }
  return share < BLACK_RULE.pictureShare ? 0 : share;
}

/** Blocks differ at most as much as their pixels, and most pictures move: these need no look at every pixel. */
function changeOf(first: SmallPicture, picture: SmallPicture): number {
  const least = blockDifference(first, picture) / 255;
  return least > FROZEN_RULE.mostChange ? least : difference(first, picture) / 255;
}

/** Collects runs that last long enough, in the order of time; a run ends with the first picture that is not of it. */
class Runs {
  readonly found: PictureRun[];
  readonly #leastMs: number;
  #open: { startMs: number; measure: number } | null;

  constructor(leastMs: number, { found, open }: RunsState = { found: [], open: null }) {
    this.#leastMs = leastMs;
    this.found = found;
    this.#open = open;
  }

  save(): RunsState {
    return { found: this.found, open: this.#open };
  }

  go(atMs: number, measure: number): void {
    if (this.#open === null) this.#open = { startMs: atMs, measure };
    else this.#open.measure = measure;
  }

  get measure(): number | null {
    return this.#open?.measure ?? null;
  }

  stop(atMs: number): void {
    const open = this.#open;
    this.#open = null;
    if (open !== null && atMs - open.startMs >= this.#leastMs) this.found.push({ ...open, endMs: atMs });
  }
}

/** Finds black and frozen pictures in a stream; holds one picture. */
export class PictureRuns {
  readonly #black: Runs;
  readonly #frozen: Runs;
  #first: SmallPicture | null = null;
  #lastMs = 0;
  #spacingMs = 0;

  constructor(from: PictureRunsState | null = null) {
    this.#black = new Runs(BLACK_RULE.leastMs, from?.black);
    this.#frozen = new Runs(FROZEN_RULE.leastMs, from?.frozen);
    if (from === null) return;
    this.#first = from.first === null ? null : restoredPicture(from.first);
    this.#lastMs = from.lastMs;
    this.#spacingMs = from.spacingMs;
  }

  save(): PictureRunsState {
    const first = this.#first === null ? null : { atMs: this.#first.atMs, rgb: this.#first.rgb };
    return {
      black: this.#black.save(),
      frozen: this.#frozen.save(),
      first,
      lastMs: this.#lastMs,
      spacingMs: this.#spacingMs,
    };
  }

  add(picture: SmallPicture): void {
    const { atMs } = picture;
    this.#spacingMs = this.#first === null ? 0 : atMs - this.#lastMs;
    this.#lastMs = atMs;
    const share = blackShare(picture);
    if (share >= BLACK_RULE.pictureShare) this.#black.go(atMs, Math.min(share, this.#black.measure ?? 1));
    else this.#black.stop(atMs);
    const change = this.#first === null ? 1 : changeOf(this.#first, picture);
    if (change > FROZEN_RULE.mostChange) {
      this.#frozen.stop(atMs);
      this.#first = picture;
      this.#frozen.go(atMs, 0);
    } else this.#frozen.go(atMs, Math.max(change, this.#frozen.measure ?? 0));
  }

  /** The last picture is shown as long as the one before it. */
  end(): void {
    this.#black.stop(this.#lastMs + this.#spacingMs);
    this.#frozen.stop(this.#lastMs + this.#spacingMs);
  }

  get black(): readonly PictureRun[] {
    return this.#black.found;
  }

  get frozen(): readonly PictureRun[] {
    return this.#frozen.found;
  }
}
