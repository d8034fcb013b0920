import { z } from 'zod';
import { bytesOfFloats, floatsOfBytes } from '../packed-numbers.ts';
import { isSameArea, joinedArea, type PictureArea, pictureArea, WHOLE_PICTURE } from './picture-area.ts';
import { isSameView, lumaBytes } from './same-view.ts';
import {
  BLOCK,
  BLOCK_COLUMNS,
  BLOCKS,
  blockDifference,
  lightWithin,
  likenessOfBlocks,
  packedBytes,
  type SmallPicture,
} from './small-picture.ts';

/** `unexplained`: how much of the change between both ends the form does not explain, 0 to 1. */
export const foundTransition = z.strictObject({
  form: z.enum(['dissolve', 'fade', 'wipe']),
  startMs: z.number(),
  endMs: z.number(),
  unexplained: z.number(),
});
export type FoundTransition = Readonly<z.infer<typeof foundTransition>>;

/** A finder as it is kept between two windows of a pass; null stands for a time before all others. */
export const transitionFinderState = z.strictObject({
  moments: z.array(
    z.strictObject({
      atMs: z.number(),
      blocks: packedBytes,
      light: z.number(),
      contrast: z.number(),
      luma: packedBytes,
      area: pictureArea,
    }),
  ),
  area: pictureArea,
  cuts: z.array(z.number()),
  candidates: z.array(foundTransition),
  turn: z.boolean(),
  handedMs: z.number().nullable(),
  foundMs: z.number().nullable(),
});
type TransitionFinderState = z.infer<typeof transitionFinderState>;

/**
 * The rule for a shot that goes over into another. Between both ends each picture is a mixture of the two (dissolve, fade) or
 * shows parts of each (wipe). `share` is the share of the later one.
 */
export const TRANSITION_RULE = {
  windowsMs: [450, 600, 800, 1000, 1300, 1600, 1900, 2300],
  stepMs: 40,
  /** The least change from end to end, as a share of 48 + light, and of the contrast of both. */
  leastShare: 0.05,
  leastOfContrast: 0.3,
  /** An end with less contrast than this, and than that share of the other end's, is even: the transition is a fade. */
  evenContrast: 5,
  evenShare: 0.5,
  mostAlike: 0.85,
  /** How far the shares may lie beside a steady course, and how much a mixture may leave unexplained. */
  mostUneven: 0.09,
  mostUnexplained: 0.27,
  /** Shots that move leave more unexplained: then they must be less alike, and the course steadier. */
  moving: { mostUnexplained: 0.3, mostUneven: 0.05, mostAlike: 0.35 },
  /** A body that crosses the picture looks like a wipe, but leaves the rest as it was. */
  wipe: { mostUnexplained: 0.24, mostAlike: 0.5 },
  /** How far the share of a wipe, which only grows, may fall back in all. */
  mostFalling: 0.12,
  leastMs: 200,
  /** How much of the change may lie in a quarter of the picture. */
  mostConcentrated: 0.6,
  /** How long each shot must be seen beside a transition; an even end of a fade may be a moment. */
  marginMs: 75,
} as const;

/** A picture of a stream, as far as transitions are looked for in it: light and contrast are those within black bars. */
interface Moment {
  readonly atMs: number;
  readonly blocks: Float32Array;
  readonly light: number;
  readonly contrast: number;
  /** The brightness of each pixel of the whole picture. */
  readonly luma: Uint8Array;
  readonly area: PictureArea;
}

/** The places among the values of all blocks of those whose middle lies in an area. */
function placesIn(area: PictureArea): number[] {
  const places: number[] = [];
  for (let block = 0; block < BLOCKS; block += 1) {
    const x = BLOCK * ((block % BLOCK_COLUMNS) + 0.5);
    const y = BLOCK * (Math.floor(block / BLOCK_COLUMNS) + 0.5);
    if (x < area.left || x > area.right || y < area.top || y > area.bottom) continue;
    places.push(3 * block, 3 * block + 1, 3 * block + 2);
  }
  return places;
}

/** Moments with the blocks that lie within the bars of any of them; the moments themselves where there are none. */
function withinBars(moments: readonly Moment[]): readonly Moment[] {
  let area = moments[0]?.area ?? WHOLE_PICTURE;
  for (const moment of moments) if (moment.area !== area) area = joinedArea(area, moment.area);
  if (isSameArea(area, WHOLE_PICTURE)) return moments;
  const places = placesIn(area);
  return moments.map((moment) => {
    const blocks = new Float32Array(places.length);
    for (const [at, place] of places.entries()) blocks[at] = moment.blocks[place] ?? 0;
    return { ...moment, blocks };
  });
}

const clamped = (value: number) => Math.max(0, Math.min(1, value));

/** The share of the change that lies in the quarter of all values that changes most. */
function concentrationOf(a: Float32Array, b: Float32Array): number {
  const changes = a.map((value, at) => Math.abs(value - (b[at] ?? 0))).sort();
  const sum = (from: number) => changes.subarray(from).reduce((whole, change) => whole + change, 0);
  return sum(Math.floor((a.length * 3) / 4)) / sum(0);
}

/** The share of the later end in each moment, and the part of it that neither a mixture nor a patchwork explains. */
function sharesOf(moments: readonly Moment[], a: Float32Array, b: Float32Array) {
  let norm = 0;
  let whole = 0;
  const size = a.length;
  for (let at = 0; at < size; at += 1) {
    const step = (b[at] ?? 0) - (a[at] ?? 0);
    norm += step * step;
    whole += Math.abs(step);
  }
  return moments.map(({ blocks }) => {
    let product = 0;
    for (let at = 0; at < size; at += 1) product += ((blocks[at] ?? 0) - (a[at] ?? 0)) * ((b[at] ?? 0) - (a[at] ?? 0));
    const share = product / norm;
    const mixed = clamped(share);
    let mixture = 0;
    let patchwork = 0;
    let covered = 0;
    for (let at = 0; at < size; at += 1) {
      const p = a[at] ?? 0;
      const q = b[at] ?? 0;
      const value = blocks[at] ?? 0;
      mixture += Math.abs(value - (p + (q - p) * mixed));
      const old = Math.abs(value - p);
      const fresh = Math.abs(value - q);
      patchwork += Math.min(old, fresh);
      if (fresh < old) covered += Math.abs(q - p);
    }
    return { share, covered: covered / whole, mixture: mixture / whole, patchwork: patchwork / whole };
  });
}

/** The time when the shares reach this level: the last time before they stay above it. */
function reaches(shares: readonly number[], moments: readonly Moment[], level: number): number {
  const at = shares.findLastIndex((share) => share < level);
  const [one, other] = [shares[at], shares[at + 1]];
  const [from, to] = [moments[at]?.atMs ?? 0, moments[at + 1]?.atMs ?? 0];
  if (one === undefined || other === undefined) return from;
  return from + ((to - from) * (level - one)) / Math.max(1e-6, other - one);
}

interface Course {
  readonly startMs: number;
  readonly endMs: number;
  /** How far the shares lie beside the course that the form has. */
  readonly uneven: number;
}

/** A mixture changes steadily: two of its levels give its beginning and its end. */
function steadyCourse(shares: readonly number[], moments: readonly Moment[]): Course {
  const [low, high] = [reaches(shares, moments, 0.15), reaches(shares, moments, 0.85)];
  const length = (high - low) / 0.7;
  const startMs = low - 0.15 * length;
  const course = moments.map(({ atMs }) => clamped((atMs - startMs) / length));
  const squares = shares.reduce((sum, share, at) => sum + (share - (course[at] ?? 0)) ** 2, 0);
  return { startMs, endMs: high + 0.15 * length, uneven: Math.sqrt(squares / shares.length) };
}

/** The part that a wipe covers grows by its own law: only its first and last steps give its beginning and end. */
function growingCourse(shares: readonly number[], moments: readonly Moment[]): Course {
  const at = (level: number) => reaches(shares, moments, level);
  const falling = shares.reduce((sum, share, place) => sum + Math.max(0, (shares[place - 1] ?? 0) - share), 0);
  return { startMs: 2 * at(0.06) - at(0.12), endMs: 2 * at(0.94) - at(0.88), uneven: falling };
}

/** The transition between the first and the last of these moments, which both lie outside; null if there is none. */
function explain(moments: readonly Moment[]): FoundTransition | null {
  const [first, last] = [moments[0], moments.at(-1)];
  if (first === undefined || last === undefined || moments.length < 6) return null;
  const rule = TRANSITION_RULE;
  const [least, most] = [first.contrast, last.contrast].sort((one, other) => one - other);
  const isFade = (least ?? 0) < rule.evenContrast && (least ?? 0) < rule.evenShare * (most ?? 0);
  if (!isTransition(first, last, isFade)) return null;
  const shares = sharesOf(moments, first.blocks, last.blocks);
  const mixed = steadyCourse(
    shares.map(({ share }) => share),
    moments,
  );
  const [mixture, patchwork] = [left(shares, moments, mixed, 'mixture'), left(shares, moments, mixed, 'patchwork')];
  const isWipe = !isFade && patchwork < mixture * 0.8;
  const course = isWipe
    ? growingCourse(
        shares.map(({ covered }) => covered),
        moments,
      )
    : mixed;
  const { startMs, endMs, uneven } = course;
  const margin = (end: Moment) => (end.contrast < rule.evenContrast ? -20 : rule.marginMs);
  if (endMs - startMs < rule.leastMs || startMs < first.atMs + margin(first) || endMs > last.atMs - margin(last))
    return null;
  if (uneven > (isWipe ? rule.mostFalling : rule.mostUneven)) return null;
  const unexplained = (isWipe ? patchwork : mixture) + uneven;
  const alike = likenessOfBlocks(first.blocks, last.blocks);
  const isMoving = !isWipe && uneven <= rule.moving.mostUneven && alike <= rule.moving.mostAlike;
  if (isWipe && (alike > rule.wipe.mostAlike || unexplained > rule.wipe.mostUnexplained)) return null;
  if (unexplained > (isMoving ? rule.moving.mostUnexplained : rule.mostUnexplained)) return null;
  // Something crossed the picture, or the light changed.
  if (!isFade && isSameView(first.luma, last.luma, joinedArea(first.area, last.area))) return null;
  const form = isWipe ? 'wipe' : isFade ? 'fade' : 'dissolve';
  return { form, startMs: Math.round(startMs), endMs: Math.round(endMs), unexplained };
}

/** True if two moments are of two shots, by themselves alone. */
function isTransition(first: Moment, last: Moment, isFade: boolean): boolean {
  const rule = TRANSITION_RULE;
  const change = blockDifference(first, last);
  if (change < rule.leastShare * (48 + Math.max(first.light, last.light))) return false;
  if (isFade) return true;
  // Hardly anything but noise is to be seen.
  if (Math.max(first.contrast, last.contrast) < rule.evenContrast) return false;
  if (change < rule.leastOfContrast * (first.contrast + last.contrast)) return false;
  // The dearest look comes last.
  if (likenessOfBlocks(first.blocks, last.blocks) > rule.mostAlike) return false;
  return concentrationOf(first.blocks, last.blocks) <= rule.mostConcentrated;
}

/** How much a form leaves unexplained on average between the ends of a course; all of it where no moment lies there. */
function left(
  shares: readonly Record<'mixture' | 'patchwork', number>[],
  moments: readonly Moment[],
  { startMs, endMs }: Course,
  form: 'mixture' | 'patchwork',
): number {
  const tenth = (endMs - startMs) / 10;
  const inside = shares.filter((_, at) => {
    const { atMs } = moments[at] ?? { atMs: 0 };
    return atMs > startMs + tenth && atMs < endMs - tenth;
  });
  return inside.length < 2 ? 1 : inside.reduce((sum, share) => sum + share[form], 0) / inside.length;
}

const KEPT_MS = 6000;

// Two halves of a fade meet at its even moment.
const OVERLAP_MS = 80;

// A better candidate ends at most half a window later. Restless pictures may never settle.
const SETTLED_MS = 1200;
const MOST_CANDIDATES = 200;

const timeOrNull = (ms: number): number | null => (ms === Number.NEGATIVE_INFINITY ? null : ms);

/** Finds gradual transitions in a stream of pictures; holds the blocks of six seconds of pictures. */
export class TransitionFinder {
  readonly #onTransition: (found: FoundTransition) => void;
  #moments: Moment[] = [];
  #area = WHOLE_PICTURE;
  #cuts: number[] = [];
  #candidates: FoundTransition[] = [];
  #turn = false;
  #handedMs = Number.NEGATIVE_INFINITY;
  #foundMs = Number.NEGATIVE_INFINITY;

  constructor(onTransition: (found: FoundTransition) => void, from: TransitionFinderState | null = null) {
    this.#onTransition = onTransition;
    if (from === null) return;
    this.#moments = from.moments.map(({ blocks, ...rest }) => ({ blocks: floatsOfBytes(blocks), ...rest }));
    this.#area = from.area;
    this.#cuts = from.cuts;
    this.#candidates = from.candidates;
    this.#turn = from.turn;
    this.#handedMs = from.handedMs ?? Number.NEGATIVE_INFINITY;
    this.#foundMs = from.foundMs ?? Number.NEGATIVE_INFINITY;
  }

  save(): TransitionFinderState {
    return {
      moments: this.#moments.map(({ blocks, ...rest }) => ({ blocks: bytesOfFloats(blocks), ...rest })),
      area: this.#area,
      cuts: this.#cuts,
      candidates: this.#candidates,
      turn: this.#turn,
      handedMs: timeOrNull(this.#handedMs),
      foundMs: timeOrNull(this.#foundMs),
    };
  }

  /** There is no cut within a transition; a cut must be reported before pictures that come a second later. */
  cut(atMs: number): void {
    this.#cuts.push(atMs);
  }

  /** The part of the pictures from the next one on that is within black bars. */
  within(area: PictureArea): void {
    this.#area = area;
  }

  add(picture: SmallPicture): void {
    const { atMs, blocks } = picture;
    const last = this.#moments.at(-1);
    if (last !== undefined && atMs - last.atMs < TRANSITION_RULE.stepMs - 8) return;
    const area = this.#area;
    const { light, contrast } = isSameArea(area, WHOLE_PICTURE) ? picture : lightWithin(picture.rgb, area);
    this.#moments.push({ atMs, blocks, light, contrast, luma: lumaBytes(picture.rgb), area });
    const from = this.#moments.findIndex((moment) => moment.atMs > atMs - KEPT_MS);
    if (from > 0) this.#moments = this.#moments.slice(from);
    this.#cuts = this.#cuts.filter((cut) => cut > atMs - KEPT_MS);
    // Cuts are decided a little later than pictures come.
    this.#turn = !this.#turn;
    if (this.#turn) this.#search(this.#moments.findLastIndex((moment) => moment.atMs <= atMs - 1500));
  }

  end(): void {
    const last = this.#moments.at(-1)?.atMs ?? 0;
    for (const [at, { atMs }] of this.#moments.entries()) if (atMs > last - 1500) this.#search(at);
    this.#hand();
  }

  /** Of candidates that overlap, the one that explains the pictures best. */
  #hand(): void {
    const chosen: FoundTransition[] = [];
    for (const each of this.#candidates.sort((one, other) => one.unexplained - other.unexplained)) {
      if (each.startMs >= this.#handedMs - OVERLAP_MS && !chosen.some((one) => overlap(one, each))) chosen.push(each);
    }
    this.#candidates = [];
    for (const each of chosen.sort((one, other) => one.startMs - other.startMs)) {
      this.#handedMs = each.endMs;
      this.#onTransition(each);
    }
  }

  #search(last: number): void {
    const end = this.#moments[last];
    if (end === undefined) return;
    const isOver = end.atMs - this.#foundMs > SETTLED_MS;
    if (this.#candidates.length > 0 && (isOver || this.#candidates.length > MOST_CANDIDATES)) this.#hand();
    const longestMs = TRANSITION_RULE.windowsMs.at(-1) ?? 0;
    const from = this.#moments.findIndex(({ atMs }) => atMs >= end.atMs - longestMs);
    const moments = withinBars(this.#moments.slice(from, last + 1));
    for (const windowMs of TRANSITION_RULE.windowsMs) {
      const first = moments.findIndex(({ atMs }) => atMs >= end.atMs - windowMs);
      const start = moments[first];
      if (start === undefined || end.atMs - start.atMs < windowMs - 100) break;
      if (this.#cuts.some((cut) => cut > start.atMs && cut <= end.atMs)) break;
      const found = explain(moments.slice(first));
      if (found === null) continue;
      this.#candidates.push(found);
      this.#foundMs = end.atMs;
    }
  }
}

const overlap = (one: FoundTransition, other: FoundTransition): boolean =>
  one.startMs < other.endMs - OVERLAP_MS && other.startMs < one.endMs - OVERLAP_MS;
