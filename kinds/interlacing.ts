import { z } from 'zod';
import type { Range } from '../contract/base/grammar.ts';
import type { FieldOrderFact } from '../contract/evidence/evidence.ts';
import { DetectionFailure } from './detection-failure.ts';
import { type FrameMetadata, VIDEO_TICKS_PER_MS } from './pictures/frames.ts';

/** The rule for the order of fields, by the verdicts of ffmpeg's `idet` on each picture with its own thresholds. */
export const INTERLACING_RULE = {
  /** So many lines and columns of the middle are looked at, at most. */
  columns: 480,
  lines: 540,
  windowMs: 10_000,
  /** A window gives no verdict if fewer pictures, or a smaller share of them, show an order. */
  leastPictures: 5,
  leastShare: 0.3,
  /** The share of those that must show the same. */
  clearShare: 0.9,
  /** In a film of 24 pictures that became 30, two of five repeat a field; so many must, and so many be interlaced. */
  repeatedShare: 0.3,
  telecinedShare: 0.2,
} as const;

const ORDERS = ['progressive', 'tff', 'bff', 'undetermined'] as const;

const orderCounts = z.strictObject({
  progressive: z.number(),
  tff: z.number(),
  bff: z.number(),
  undetermined: z.number(),
  repeated: z.number(),
});
type Counts = z.infer<typeof orderCounts>;

/** The counts of each window of `windowMs`, as they are kept between two windows of a pass. */
export const interlacingState = z.array(orderCounts);
type InterlacingState = z.infer<typeof interlacingState>;

const noCounts = (): Counts => ({ progressive: 0, tff: 0, bff: 0, undetermined: 0, repeated: 0 });

/** Collects the verdicts of `idet` on the pictures of a range, window by window. */
export class Interlacing {
  readonly #range: Range;
  readonly #window: Range;
  readonly #seekMs: number;
  readonly #windows: Counts[];

  /** `seekMs` is the source time of tick 0. Of the range, pictures of `window` are counted. */
  constructor(range: Range, seekMs: number, window: Range = range, from: InterlacingState | null = null) {
    this.#range = range;
    this.#window = window;
    this.#seekMs = seekMs;
    // A rest below half a window belongs to the one before.
    const windows = Math.max(1, Math.round((range.endMs - range.startMs) / INTERLACING_RULE.windowMs));
    this.#windows = from ?? Array.from({ length: windows }, noCounts);
  }

  save(): InterlacingState {
    return this.#windows;
  }

  add({ pts, values }: FrameMetadata): void {
    const atMs = this.#seekMs + Math.round(pts / VIDEO_TICKS_PER_MS);
    if (atMs < this.#window.startMs || atMs >= this.#window.endMs) return;
    const order = ORDERS.find((each) => each === values.get('lavfi.idet.multiple.current_frame'));
    if (order === undefined) throw new DetectionFailure('ffmpeg did not report the fields of a picture');
    const counts = this.#windows[this.#placeOf(atMs)];
    if (counts === undefined) return;
    counts[order] += 1;
    if ((values.get('lavfi.idet.repeated.current_frame') ?? 'neither') !== 'neither') counts.repeated += 1;
  }

  /** Stretches of one order; they cover the range once. */
  facts(): FieldOrderFact[] {
    const stretches: { order: FieldOrderFact['order']; counts: Counts; endMs: number }[] = [];
    for (const [place, counts] of this.#windows.entries()) {
      const order = orderOf(counts);
      const isLast = place === this.#windows.length - 1;
      const endMs = isLast ? this.#range.endMs : this.#range.startMs + (place + 1) * INTERLACING_RULE.windowMs;
      const last = stretches.at(-1);
      if (last?.order !== order) stretches.push({ order, counts: { ...counts }, endMs });
      else {
        last.endMs = endMs;
        for (const name of [...ORDERS, 'repeated'] as const) last.counts[name] += counts[name];
      }
    }
    return stretches.map(({ order, counts, endMs }, index) => ({
      kind: 'field_order',
      index,
      startMs: stretches[index - 1]?.endMs ?? this.#range.startMs,
      endMs,
      order,
      ...sharesOf(counts),
    }));
  }

  #placeOf(atMs: number): number {
    const place = Math.floor((atMs - this.#range.startMs) / INTERLACING_RULE.windowMs);
    return Math.min(place, this.#windows.length - 1);
  }
}

const picturesIn = ({ progressive, tff, bff, undetermined }: Counts): number => progressive + tff + bff + undetermined;

function orderOf(counts: Counts): FieldOrderFact['order'] {
  const { progressive, tff, bff, repeated } = counts;
  const pictures = picturesIn(counts);
  const shown = progressive + tff + bff;
  const { leastPictures, leastShare, clearShare, repeatedShare, telecinedShare } = INTERLACING_RULE;
  if (shown < leastPictures || shown < leastShare * pictures) return 'unknown';
  if (repeated >= repeatedShare * pictures && tff + bff >= telecinedShare * shown) return 'telecined';
  if (progressive >= clearShare * shown) return 'progressive';
  if (tff >= clearShare * shown) return 'top_first';
  return bff >= clearShare * shown ? 'bottom_first' : 'mixed';
}

function sharesOf(counts: Counts) {
  const pictures = picturesIn(counts);
  const milli = (part: number): number => (pictures === 0 ? 0 : Math.round((1000 * part) / pictures));
  const progressiveMilli = milli(counts.progressive);
  // Two halves of a thousandth that are both rounded up are more than the whole.
  const topFirstMilli = Math.min(milli(counts.tff), 1000 - progressiveMilli);
  const bottomFirstMilli = Math.min(milli(counts.bff), 1000 - progressiveMilli - topFirstMilli);
  const undeterminedMilli = pictures === 0 ? 0 : 1000 - progressiveMilli - topFirstMilli - bottomFirstMilli;
  const repeatedMilli = milli(counts.repeated);
  return { pictures, progressiveMilli, topFirstMilli, bottomFirstMilli, undeterminedMilli, repeatedMilli };
}
