import { z } from 'zod';
import type { Range } from '../contract/base/grammar.ts';
import { type LetterboxFact, letterboxFact } from '../contract/evidence/evidence.ts';
import { DetectionFailure } from './detection-failure.ts';
import { titled, wholeStretch } from './found.ts';
import { type MeteredKind, stated } from './kind.ts';
import type { BranchWindow, Meter, MeteredPart } from './meter.ts';
import { type FrameMetadata, numberIn, VIDEO_TICKS_PER_MS } from './pictures/frames.ts';

/** The rule for black bars, in pictures that are sampled one every `sampleMs`, and in shares of a side of the picture. */
export const BAR_RULE = {
  sampleMs: 500,
  /** A line is black whose mean is at most this share of full scale, the default of ffmpeg's `cropdetect`. */
  blackShare: 24 / 255,
  /** So many pictures must show exactly the same. */
  leastAgreeing: 10,
  /** Edges so close are the same one. */
  sameShare: 0.005,
  /** The least width of a bar, and how much wider one may be than the opposite one. */
  leastBarShare: 0.01,
  unevenShare: 0.02,
  /** The least size within bars on all four sides, which a title on black does not reach; then that within two. */
  windowShare: 0.6,
  leastShare: 0.4,
} as const;

/** Columns and lines that are not black; those at the far ends are not contained. */
const visiblePart = z.strictObject({ left: z.number(), top: z.number(), right: z.number(), bottom: z.number() });
export type Visible = Readonly<z.infer<typeof visiblePart>>;

const pictureSize = z.strictObject({ width: z.number(), height: z.number() });
type FrameSize = Readonly<z.infer<typeof pictureSize>>;

/** One looked-at picture; `visible` is null where all of it is black. */
interface BarSample {
  readonly atMs: number;
  readonly visible: Visible | null;
  readonly size: FrameSize;
}

/** Bars that stay; `agreeing` is the share of the pictures that show exactly these. */
const foundBars = z.strictObject({
  startMs: z.number(),
  endMs: z.number(),
  visible: visiblePart,
  size: pictureSize,
  agreeing: z.number(),
});
export type FoundBars = Readonly<z.infer<typeof foundBars>>;

const SIDES = ['left', 'top', 'right', 'bottom'] as const;

/** Stretches of one visible part: nothing outside it is ever seen, and what is dark may show less of it. */
const barStretch = z.strictObject({
  startMs: z.number(),
  size: pictureSize,
  visible: visiblePart,
  pictures: z.number(),
  agreeing: z.number(),
  /** How often each exact form of the visible part was seen. */
  votes: z.record(z.string(), z.strictObject({ visible: visiblePart, count: z.number() })),
});
type Stretch = z.infer<typeof barStretch>;

/** Pictures in a row that show the same. */
const barRun = z.strictObject({ firstMs: z.number(), size: pictureSize, visible: visiblePart, length: z.number() });

/** The open stretch and run in their form between two windows of a pass. */
const barFinderState = z.strictObject({ stretch: barStretch.nullable(), run: barRun.nullable() });
type BarFinderState = z.infer<typeof barFinderState>;

/** Finds stretches with bars among the pictures of a range, in the order of time. */
export class BarFinder {
  readonly #onFound: (bars: FoundBars) => void;
  #stretch: Stretch | null;
  #run: BarFinderState['run'];

  constructor(onFound: (bars: FoundBars) => void, from: BarFinderState | null = null) {
    this.#onFound = onFound;
    this.#stretch = from?.stretch ?? null;
    this.#run = from?.run ?? null;
  }

  save(): BarFinderState {
    return { stretch: this.#stretch, run: this.#run };
  }

  add(sample: BarSample): void {
    const { visible, size, atMs } = sample;
    // Black gives no information on bars.
    if (visible === null) return;
    if (this.#run !== null && isSame(this.#run.visible, visible, size)) this.#run.length += 1;
    else this.#run = { firstMs: atMs, size, visible, length: 1 };
    const stretch = this.#stretch;
    if (stretch === null || stretch.size.width !== size.width || stretch.size.height !== size.height) {
      this.#begin(atMs, { visible, size }, 1);
    } else if (!isWithin(visible, stretch.visible, size)) {
      if (stretch.agreeing >= BAR_RULE.leastAgreeing && areBars(stretch.visible, size))
        this.#begin(atMs, { visible, size }, 1);
      else widen(stretch, visible);
    } else if (isSame(visible, stretch.visible, size)) count(stretch, visible);
    else {
      stretch.pictures += 1;
      this.#narrow(size);
    }
  }

  /** No picture comes any more. */
  end(endMs: number): void {
    this.#finish(endMs, 0);
    this.#stretch = null;
  }

  /** The duration and the place of bars within a larger picture tell them from a dark scene. */
  #narrow(size: FrameSize): void {
    const run = this.#run;
    if (run === null || run.length < BAR_RULE.leastAgreeing || !areBars(run.visible, size)) return;
    this.#begin(run.firstMs, run, run.length);
  }

  #begin(atMs: number, { visible, size }: Pick<Stretch, 'visible' | 'size'>, length: number): void {
    this.#finish(atMs, length - 1);
    this.#stretch = { startMs: atMs, size, visible, pictures: 0, agreeing: 0, votes: {} };
    for (let at = 0; at < length; at += 1) count(this.#stretch, visible);
  }

  /** The last `dropped` pictures belong to what comes behind. */
  #finish(endMs: number, dropped: number): void {
    const stretch = this.#stretch;
    if (stretch === null || stretch.agreeing < BAR_RULE.leastAgreeing) return;
    const [most] = Object.values(stretch.votes).sort((one, other) => other.count - one.count);
    if (most === undefined || !areBars(most.visible, stretch.size)) return;
    const { startMs, size, agreeing, pictures } = stretch;
    this.#onFound({
      startMs,
      endMs,
      visible: most.visible,
      size,
      agreeing: agreeing / Math.max(agreeing, pictures - dropped),
    });
  }
}

function count(stretch: Stretch, visible: Visible): void {
  stretch.pictures += 1;
  stretch.agreeing += 1;
  const key = SIDES.map((side) => visible[side]).join();
  const vote = stretch.votes[key];
  if (vote === undefined) stretch.votes[key] = { visible, count: 1 };
  else vote.count += 1;
}

/** The pictures so far were too dark to show the whole. */
function widen(stretch: Stretch, { left, top, right, bottom }: Visible): void {
  const { visible } = stretch;
  stretch.visible = {
    left: Math.min(left, visible.left),
    top: Math.min(top, visible.top),
    right: Math.max(right, visible.right),
    bottom: Math.max(bottom, visible.bottom),
  };
  stretch.agreeing = 0;
  stretch.votes = {};
  count(stretch, stretch.visible);
}

const slack = (side: number): number => Math.max(2, BAR_RULE.sameShare * side);

const isSame = (one: Visible, other: Visible, { width, height }: FrameSize): boolean =>
  SIDES.every(
    (side) => Math.abs(one[side] - other[side]) <= slack(side === 'left' || side === 'right' ? width : height),
  );

const isWithin = (inner: Visible, outer: Visible, { width, height }: FrameSize): boolean =>
  inner.left >= outer.left - slack(width) &&
  inner.right <= outer.right + slack(width) &&
  inner.top >= outer.top - slack(height) &&
  inner.bottom <= outer.bottom + slack(height);

/** True if the invisible parts are bars: even on opposite sides, on two sides or on all four. */
function areBars({ left, top, right, bottom }: Visible, { width, height }: FrameSize): boolean {
  const { leastBarShare, unevenShare, windowShare, leastShare } = BAR_RULE;
  const isEven = (near: number, far: number, side: number) => Math.abs(near - far) <= 2 + unevenShare * side;
  const isBar = (bar: number, side: number) => bar >= Math.max(2, leastBarShare * side);
  if (!isEven(left, width - right, width) || !isEven(top, height - bottom, height)) return false;
  const [across, down] = [(right - left) / width, (bottom - top) / height];
  const [beside, above] = [isBar(Math.min(left, width - right), width), isBar(Math.min(top, height - bottom), height)];
  if (beside && above) return Math.min(across, down) >= windowShare;
  return (beside || above) && Math.min(across, down) >= leastShare;
}

/** Bars as they are kept between two windows of a pass; times are of the first and of the last picture that was looked at. */
const letterboxState = z.strictObject({
  found: z.array(foundBars),
  finder: barFinderState,
  firstMs: z.number().nullable(),
  lastMs: z.number().nullable(),
});
type LetterboxState = z.infer<typeof letterboxState>;

/**
 * Collects the bars of a range from the output of ffmpeg's `cropdetect` for one picture every half second, and of `bbox` for its
 * size.
 */
class LetterboxMeter implements Meter<LetterboxFact, LetterboxState> {
  readonly #range: Range;
  readonly #seekMs: number;
  readonly #found: FoundBars[];
  readonly #finder: BarFinder;
  #firstMs: number | null;
  #lastMs: number | null;

  constructor({ range, seekMs }: Pick<MeteredPart, 'range' | 'seekMs'>, from: LetterboxState | null) {
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

  frame(frame: FrameMetadata): void {
    const atMs = this.#seekMs + Math.round(frame.pts / VIDEO_TICKS_PER_MS);
    this.#firstMs ??= atMs;
    this.#lastMs = atMs;
    const size = { width: measured(frame, 'bbox.w'), height: measured(frame, 'bbox.h') };
    const [left, right] = [measured(frame, 'cropdetect.x1'), measured(frame, 'cropdetect.x2') + 1];
    const [top, bottom] = [measured(frame, 'cropdetect.y1'), measured(frame, 'cropdetect.y2') + 1];
    const visible = left < right && top < bottom ? { left, top, right, bottom } : null;
    this.#finder.add({ atMs, visible, size });
  }

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

/** The earliest next picture behind one of those that are taken every so often. A little less: sums of fractions come out a little short. */
const nextAfter = (atMs: number): number => atMs + BAR_RULE.sampleMs - 0.5;

/** The pictures that are looked at: the first one comes a while behind the last one of the window before. */
function everyRule({ window, seekMs }: BranchWindow, from: LetterboxState | null): string {
  const { startMs, endMs } = window;
  const lastMs = from?.lastMs ?? null;
  const firstMs = lastMs === null ? startMs : Math.max(startMs, nextAfter(lastMs));
  const [first, end] = [firstMs, endMs].map((ms) => (ms - seekMs) / 1000);
  return `'gte(t,${first})*lt(t,${end})*(isnan(prev_selected_t)+gte(t-prev_selected_t,${nextAfter(0) / 1000}))'`;
}

// A picture that is white up to its edges has the size of the whole, which `cropdetect` does not report. Only a picture of one
// column or line is scaled, since it has no room for two edges.
const barFilters = `scale=w='max(2,iw)':h='max(2,ih)',cropdetect=limit=${BAR_RULE.blackShare}:round=2:reset=1:skip=0,fillborders=left=1:top=1:mode=fixed:color=white,bbox=min_val=0`;

const value = (name: string) => ({ value: name });

/** Black bars beside the picture. */
export const letterbox: MeteredKind<'letterbox', LetterboxFact, LetterboxState> = {
  name: 'letterbox',
  title: 'black bars',
  track: 'video',
  facts: {
    letterbox: {
      schema: letterboxFact,
      words: [
        ...['black bars around ', value('width'), ' × ', value('height'), ' pixels, from '],
        ...[value('left'), ', ', value('top'), ' on'],
      ],
      tone: 'dark',
    },
  },
  order: 'successive',
  lane: { place: 120, about: 'pictures_and_sound', backdrop: null },
  summary: titled,
  terminal: { onlyIfFound: true },
  row: { usual: false, name: () => 'black bars' },
  found: (facts) =>
    wholeStretch(
      facts,
      facts.map(
        ({ width, height, pictureWidth, pictureHeight }) =>
          `picture of ${width} × ${height} in ${pictureWidth} × ${pictureHeight}`,
      ),
      'none',
    ),
  contradiction: ({ facts }) => {
    for (const [at, { left, top, width, height, pictureWidth, pictureHeight }] of facts.entries()) {
      if (left + width > pictureWidth) return `facts[${at}].width`;
      if (top + height > pictureHeight) return `facts[${at}].height`;
      if (width === pictureWidth && height === pictureHeight) return `facts[${at}]`;
    }
    return null;
  },
  parameters: { ...stated(BAR_RULE), rule: 'cropdetect of ffmpeg, over single pictures' },
  state: letterboxState,
  branch: { filters: (window, from) => `select=${everyRule(window, from)},${barFilters}` },
  meter: (part, from) => new LetterboxMeter(part, from),
};
