import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Range } from '../contract/base/grammar.ts';
import type { ShotFact } from '../contract/evidence/evidence.ts';
import { jpegSizeOf, type KeyframeFact, keyframeFact } from '../contract/evidence/evidence-object.ts';
import { countText } from '../formats/readable-numbers.ts';
import { DetectionFailure } from './detection-failure.ts';
import { countOf } from './found.ts';
import { type AnyFact, type MeteredKind, type ReopenedEvidence, statedNumber } from './kind.ts';
import type { BranchWindow, KeepObject, Meter, MeteredPart } from './meter.ts';
import { DECIDED_AFTER_MS } from './pictures/cut-finder.ts';
import { type FrameMetadata, TimedFrames } from './pictures/frames.ts';
import { packedBytes, type SmallPicture } from './pictures/small-picture.ts';

/**
 * The choice of pictures that represent a film. A shot is divided into pieces from its first picture on, and each piece has the
 * candidate nearest to its middle. The rest of a shot behind its last whole piece has none if it is short: it looks like the part
 * before it.
 */
const RULE = {
  pieceMs: 10_000,
  leastRestMs: 2000,
  /** The first picture of each 200 ms may become a candidate, and that of each `calmMs` becomes one. */
  candidateMs: 200,
  calmMs: 600,
  /** So does any of them this long from the start, or from a change on: ffmpeg's scene score (0 to 1), which was above 0.25 at cuts. */
  leastScore: 0.05,
  restlessMs: 600,
} as const;

/**
 * Keyframes as they are kept: JPEGs of ffmpeg's encoder at this quantiser and with these tables, no longer and no wider than this
 * many pixels. Most candidates are never kept, so each must cost little: it has the mean of each area, and the usual tables.
 */
const FORM = { longestSide: 640, quality: 4, scaling: 'area', huffman: 'default' } as const;

/** A picture that may become a keyframe. */
interface KeyframeCandidate {
  readonly atMs: number;
  readonly jpeg: Uint8Array;
}

/** A finder as it is kept between two windows of a pass; null stands for a time before all others. */
const keyframeFinderState = z.strictObject({
  candidates: z.array(z.strictObject({ atMs: z.number(), jpeg: packedBytes })),
  cuts: z.array(z.number()),
  candidatesUntilMs: z.number().nullable(),
  cutsUntilMs: z.number().nullable(),
  startMs: z.number(),
  isRest: z.boolean(),
});
type KeyframeFinderState = z.infer<typeof keyframeFinderState>;

/** The picture that was chosen for a piece of a shot. */
export interface ChosenKeyframe extends KeyframeCandidate, Range {}

/**
 * Chooses keyframes while candidates and cuts come in, each in the order of time, and both independently. Holds the
 * candidates of one piece, and those for which cuts are not decided yet.
 */
export class KeyframeFinder {
  readonly #range: Range;
  readonly #onKeyframe: (keyframe: ChosenKeyframe) => void;
  #candidates: KeyframeCandidate[] = [];
  readonly #cuts: number[];
  #candidatesUntilMs = Number.NEGATIVE_INFINITY;
  #cutsUntilMs = Number.NEGATIVE_INFINITY;
  #startMs: number;
  #isRest = false;

  constructor(range: Range, onKeyframe: (keyframe: ChosenKeyframe) => void, from: KeyframeFinderState | null = null) {
    this.#range = range;
    this.#startMs = from?.startMs ?? range.startMs;
    this.#onKeyframe = onKeyframe;
    this.#cuts = from?.cuts ?? [];
    if (from === null) return;
    this.#candidates = from.candidates.map(({ atMs, jpeg }) => ({ atMs, jpeg: new Uint8Array(jpeg) }));
    this.#candidatesUntilMs = from.candidatesUntilMs ?? Number.NEGATIVE_INFINITY;
    this.#cutsUntilMs = from.cutsUntilMs ?? Number.NEGATIVE_INFINITY;
    this.#isRest = from.isRest;
  }

  save(): KeyframeFinderState {
    const timeOrNull = (ms: number) => (ms === Number.NEGATIVE_INFINITY ? null : ms);
    return {
      candidates: this.#candidates.map(({ atMs, jpeg }) => ({ atMs, jpeg })),
      cuts: this.#cuts,
      candidatesUntilMs: timeOrNull(this.#candidatesUntilMs),
      cutsUntilMs: timeOrNull(this.#cutsUntilMs),
      startMs: this.#startMs,
      isRest: this.#isRest,
    };
  }

  candidate(candidate: KeyframeCandidate): void {
    const { startMs, endMs } = this.#range;
    if (candidate.atMs >= startMs && candidate.atMs < endMs) this.#candidates.push(candidate);
    this.#candidatesUntilMs = candidate.atMs;
    this.#choose();
  }

  /** A shot begins at `atMs`. */
  cut(atMs: number): void {
    if (atMs > this.#range.startMs && atMs < this.#range.endMs) this.#cuts.push(atMs);
  }

  /** No cut before `atMs` is still to come. */
  decided(atMs: number): void {
    this.#cutsUntilMs = atMs;
    this.#choose();
  }

  /** Nothing comes any more. */
  end(): void {
    this.#candidatesUntilMs = Number.POSITIVE_INFINITY;
    this.#cutsUntilMs = Number.POSITIVE_INFINITY;
    this.#choose();
  }

  #choose(): void {
    while (this.#startMs < this.#range.endMs) {
      const cut = this.#cuts[0] ?? Number.POSITIVE_INFINITY;
      const endMs = Math.min(this.#startMs + RULE.pieceMs, cut, this.#range.endMs);
      if (Math.min(this.#cutsUntilMs, this.#candidatesUntilMs) < endMs) return;
      this.#piece({ startMs: this.#startMs, endMs });
      this.#isRest = endMs !== cut;
      if (endMs === cut) this.#cuts.shift();
      this.#startMs = endMs;
    }
  }

  #piece({ startMs, endMs }: Range): void {
    const later = this.#candidates.findIndex(({ atMs }) => atMs >= endMs);
    const of = this.#candidates.splice(0, later === -1 ? this.#candidates.length : later);
    if (this.#isRest && endMs - startMs < RULE.leastRestMs) return;
    const middleMs = (startMs + endMs) / 2;
    const [nearest] = of.sort((one, other) => Math.abs(one.atMs - middleMs) - Math.abs(other.atMs - middleMs));
    if (nearest !== undefined) this.#onKeyframe({ startMs, endMs, ...nearest });
  }
}

// The head of ffmpeg's `mpjpeg` before each picture: the only output of JPEGs with the length of each.
const HEAD = /^--ffmpeg\r\nContent-type: image\/jpeg\r\nContent-length: (\d{1,8})\r\n\r\n/;
const LONGEST_HEAD = 128;
const TAIL_BYTES = 2;
/** The rest behind the last one. */
const END = '--ffmpeg\r\n';

/** No JPEG of the size of a keyframe is longer. */
const LONGEST_JPEG = 4 * 1024 * 1024;

const EMPTY = Buffer.alloc(0);

/** Reads JPEGs from an output in the form `mpjpeg` and hands them over with their times. */
export class JpegStream {
  readonly #frames: TimedFrames;
  #rest: Buffer = EMPTY;

  /** `seekMs` is the source time of tick 0. */
  constructor(seekMs: number, onJpeg: (atMs: number, jpeg: Uint8Array) => void) {
    this.#frames = new TimedFrames(seekMs, onJpeg);
  }

  addTime(frame: FrameMetadata): void {
    this.#frames.addTime(frame);
  }

  /** Takes bytes in pieces of any size; resolves when there is room for more. Throws `DetectionFailure` on another form. */
  async write(chunk: Buffer): Promise<void> {
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    for (let jpeg = this.#take(); jpeg !== null; jpeg = this.#take()) this.#frames.add(jpeg);
    await this.#frames.room();
  }

  /** Throws `DetectionFailure` where a picture is cut or has no time, or a time no picture. */
  end(): void {
    if (this.#rest.length > 0 && this.#rest.toString('latin1') !== END)
      throw new DetectionFailure('ffmpeg gave a part of a picture');
    this.#frames.end();
  }

  /** A copy of the next whole picture; null if it has not come yet. */
  #take(): Buffer | null {
    const head = HEAD.exec(this.#rest.toString('latin1', 0, LONGEST_HEAD));
    if (head === null) {
      if (this.#rest.length >= LONGEST_HEAD) throw new DetectionFailure('ffmpeg gave pictures in an unknown form');
      return null;
    }
    const from = head[0].length;
    const to = from + Number(head[1]);
    if (to - from > LONGEST_JPEG) throw new DetectionFailure('ffmpeg gave a picture of an impossible length');
    if (this.#rest.length < to + TAIL_BYTES) return null;
    const jpeg = Buffer.from(this.#rest.subarray(from, to));
    this.#rest = this.#rest.subarray(to + TAIL_BYTES);
    return jpeg;
  }
}

/** Width and height of a baseline JPEG, as its frame header states them. Throws `DetectionFailure` if it has none. */
export function jpegSize(jpeg: Uint8Array): { readonly width: number; readonly height: number } {
  const size = jpegSizeOf(jpeg);
  if (size === null) throw new DetectionFailure('ffmpeg gave a picture that is not a JPEG');
  return size;
}

/** Keyframes as they are kept between two windows of a pass. */
const keyframesState = z.strictObject({
  facts: z.array(keyframeFact),
  finder: keyframeFinderState,
});
type KeyframesState = z.infer<typeof keyframesState>;

/** Collects the keyframes of a range: gives each to `keep` as soon as it is chosen, and holds its fact alone. */
class KeyframeMeter implements Meter<KeyframeFact, KeyframesState> {
  readonly #facts: KeyframeFact[];
  readonly #finder: KeyframeFinder;
  readonly #stream: JpegStream;
  readonly #keep: KeepObject;
  #kept: Promise<void> = Promise.resolve();

  constructor({ range, seekMs, keep }: Pick<MeteredPart, 'range' | 'seekMs' | 'keep'>, from: KeyframesState | null) {
    this.#keep = keep;
    this.#facts = from?.facts ?? [];
    this.#finder = new KeyframeFinder(range, (keyframe) => this.#add(keyframe), from?.finder);
    this.#stream = new JpegStream(seekMs, (atMs, jpeg) => this.#finder.candidate({ atMs, jpeg }));
  }

  frame(frame: FrameMetadata): void {
    this.#stream.addTime(frame);
  }

  async write(chunk: Buffer): Promise<void> {
    await this.#stream.write(chunk);
    await this.#kept;
  }

  /** Cuts before this picture are announced already. */
  picture({ atMs }: SmallPicture): void {
    this.#finder.decided(atMs - DECIDED_AFTER_MS);
  }

  cut(atMs: number): void {
    this.#finder.cut(atMs);
  }

  /** Resolves when every keyframe so far is kept. */
  async save(): Promise<KeyframesState> {
    this.#stream.end();
    await this.#kept;
    return { facts: this.#facts, finder: this.#finder.save() };
  }

  async end(): Promise<void> {
    this.#stream.end();
    this.#finder.end();
    await this.#kept;
  }

  named(): readonly KeyframeFact[] {
    return this.#facts;
  }

  facts(): readonly KeyframeFact[] {
    return this.#facts;
  }

  #add({ startMs, endMs, atMs, jpeg }: ChosenKeyframe): void {
    const contentId = `sha256:${createHash('sha256').update(jpeg).digest('hex')}`;
    const index = this.#facts.length;
    const size = jpegSize(jpeg);
    this.#facts.push({ kind: 'keyframe', index, startMs, endMs, atMs, ...size, contentId, bytes: jpeg.length });
    this.#kept = this.#kept.then(() => this.#keep({ contentId, bytes: jpeg }));
    // The next write, or the end, reports the failure.
    this.#kept.catch(() => undefined);
  }
}

/**
 * Chooses candidates. Most pictures of a calm shot need no JPEG, so that they cost only a comparison. What comes before the
 * window is compared too: the first picture of a window has the score that it has in a pass without windows.
 */
function candidateRules({ range, window, seekMs }: BranchWindow): string {
  const { candidateMs, calmMs, leastScore, restlessMs } = RULE;
  const at = (ms: number) => (ms - seekMs) / 1000;
  // Places count from the start of the whole range, so that each window has the same.
  const zero = at(range.startMs);
  const place = (time: string, everyMs: number) =>
    `floor((${time}-(${zero})+${PLACE_SLACK_MS / 1000})/${everyMs / 1000})`;
  const isFirstOf = (everyMs: number) => `isnan(prev_t)+gt(${place('t', everyMs)},${place('prev_t', everyMs)})`;
  const isRestless = `if(gte(scene,${leastScore}),st(0,t+${restlessMs / 1000}));lt(t,ld(0))+lt(t,${at(range.startMs + restlessMs)})`;
  return `select='${isFirstOf(candidateMs)}',select='${isRestless}+${isFirstOf(calmMs)}',select='gte(t,${at(window.startMs)})*lt(t,${at(window.endMs)})'`;
}

// Times are rounded to the tick: a picture at the start of a place may come out a little early.
const PLACE_SLACK_MS = 0.5;

/** Fits a picture, as it is shown, into a square; none is enlarged. */
const candidateSize = (() => {
  const fitted = `min(1,${FORM.longestSide}/max(iw*sar,ih))`;
  return `scale=w='max(1,iw*sar*${fitted})':h='max(1,ih*${fitted})':flags=${FORM.scaling}`;
})();

const isShot = (fact: AnyFact): fact is ShotFact => fact.kind === 'shot_change';

/** The ends of the pieces of shots that may have a keyframe, by their starts. */
function piecesOf({ facts, input: { range } }: ReopenedEvidence<AnyFact>, pieceMs: number): Map<number, number> {
  const { startMs, endMs } = range;
  const cuts = facts.filter(isShot).flatMap(({ atMs }) => (atMs > startMs ? [atMs] : []));
  const pieces = new Map<number, number>();
  let from = startMs;
  for (const until of [...cuts, endMs]) {
    for (; from < until; from = Math.min(from + pieceMs, until)) pieces.set(from, Math.min(from + pieceMs, until));
  }
  return pieces;
}

/** Pictures that represent the shots of a film. */
export const keyframes: MeteredKind<'keyframes', KeyframeFact, KeyframesState> = {
  name: 'keyframes',
  title: 'keyframes',
  track: 'video',
  facts: {
    keyframe: { schema: keyframeFact, words: ['keyframe at ', { value: 'atMs', form: 'clock' }], tone: 'seen' },
  },
  order: 'successive',
  lane: { place: 60, about: 'pictures_and_sound', backdrop: 'pictures' },
  summary: null,
  row: { usual: false, name: () => 'keyframe' },
  found: (facts) => ({
    text: countText(facts.length, 'picture'),
    measures: countOf(facts.length),
    places: facts.map(({ atMs }) => ({ startMs: atMs, endMs: atMs })),
  }),
  contradiction: (evidence) => {
    const longest = statedNumber(evidence, 'longestSide');
    for (const [at, { startMs, endMs, atMs, width, height }] of evidence.facts.entries()) {
      if (atMs < startMs || atMs >= endMs) return `facts[${at}].atMs`;
      if (longest !== null && Math.max(width, height) > longest) return `facts[${at}].width`;
    }
    return null;
  },
  /** A keyframe stands for a piece of one shot, as the cuts of the same pass divide the range. */
  contradictionInPass: (evidence, other) => {
    const pieceMs = statedNumber(evidence, 'pieceMs');
    const shots = other('shot_changes');
    if (shots === null || pieceMs === null || pieceMs < 1) return null;
    const pieces = piecesOf(shots, pieceMs);
    const odd = evidence.facts.findIndex(({ startMs, endMs }) => pieces.get(startMs) !== endMs);
    return odd === -1 ? null : `facts[${odd}]`;
  },
  parameters: { ...RULE, ...FORM, choice: 'the candidate nearest to the middle' },
  state: keyframesState,
  branch: {
    // The levels are widened behind the scaling: before it they would be in every line of the picture.
    filters: (window) =>
      `${candidateRules(window)},${candidateSize},setsar=1,format=yuv420p|yuvj420p,scale,format=yuvj420p`,
    // One thread: an encoder with more holds pictures back, and so do those who wait for them.
    output: [
      ...['-c:v', 'mjpeg', '-q:v', String(FORM.quality), '-huffman', FORM.huffman, '-flags', '+bitexact'],
      ...['-threads', '1', '-f', 'mpjpeg'],
    ],
  },
  meter: (part, from) => new KeyframeMeter(part, from),
};
