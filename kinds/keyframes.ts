import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Range } from '../contract/base/grammar.ts';
import type { StoredObject } from '../contract/base/stored-object.ts';
import { jpegSizeOf, type KeyframeFact, keyframeFact } from '../contract/evidence/evidence-object.ts';
import { DetectionFailure } from './detection-failure.ts';
import { type FrameMetadata, TimedFrames } from './pictures/frames.ts';
import { packedBytes } from './pictures/small-picture.ts';

/**
 * The choice of pictures that represent a film. A shot is divided into pieces from its first picture on, and each piece has the
 * candidate nearest to its middle. The rest of a shot behind its last whole piece has none if it is short: it looks like the part
 * before it.
 */
export const KEYFRAME_RULE = {
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
export const KEYFRAME_FORM = { longestSide: 640, quality: 4, scaling: 'area', huffman: 'default' } as const;

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
      const endMs = Math.min(this.#startMs + KEYFRAME_RULE.pieceMs, cut, this.#range.endMs);
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
    if (this.#isRest && endMs - startMs < KEYFRAME_RULE.leastRestMs) return;
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

/** Takes an object that a fact is going to name; on disk when it resolves. */
export type KeepObject = (object: StoredObject) => Promise<void>;

/** Keyframes as they are kept between two windows of a pass. */
export const keyframesState = z.strictObject({
  facts: z.array(keyframeFact),
  finder: keyframeFinderState,
});
type KeyframesState = z.infer<typeof keyframesState>;

/** Collects the keyframes of a range: gives each to `keep` as soon as it is chosen, and holds its fact alone. */
export class Keyframes {
  readonly #facts: KeyframeFact[];
  readonly #finder: KeyframeFinder;
  readonly #stream: JpegStream;
  readonly #keep: KeepObject;
  #kept: Promise<void> = Promise.resolve();

  /** `seekMs` is the source time of tick 0. */
  constructor(range: Range, seekMs: number, keep: KeepObject, from: KeyframesState | null = null) {
    this.#keep = keep;
    this.#facts = from?.facts ?? [];
    this.#finder = new KeyframeFinder(range, (keyframe) => this.#add(keyframe), from?.finder);
    this.#stream = new JpegStream(seekMs, (atMs, jpeg) => this.#finder.candidate({ atMs, jpeg }));
  }

  /** Nothing comes any more of this window; resolves when every keyframe so far is kept. */
  async save(): Promise<KeyframesState> {
    this.#stream.end();
    await this.#kept;
    return { facts: this.#facts, finder: this.#finder.save() };
  }

  addTime(frame: FrameMetadata): void {
    this.#stream.addTime(frame);
  }

  /** Takes candidates in pieces of any size; resolves when there is room for more. */
  async write(chunk: Buffer): Promise<void> {
    await this.#stream.write(chunk);
    await this.#kept;
  }

  /** A shot begins at `atMs`. */
  cut(atMs: number): void {
    this.#finder.cut(atMs);
  }

  /** No cut before `atMs` is still to come. */
  decided(atMs: number): void {
    this.#finder.decided(atMs);
  }

  /** Nothing comes any more; resolves when every keyframe is kept. */
  async end(): Promise<void> {
    this.#stream.end();
    this.#finder.end();
    await this.#kept;
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
