import { z } from 'zod';
import type { Range } from '../../contract/base/grammar.ts';
import { packedBytes } from './packed-bytes.ts';

/**
 * Which pictures stand for a film. A shot is divided into pieces from its first picture on, and each piece has the candidate
 * nearest to its middle. The rest of a shot behind its last whole piece has none if it is short: it looks like what is before it.
 */
export const KEYFRAME_RULE = { pieceMs: 10_000, leastRestMs: 2000, candidateMs: 200 } as const;

/** A picture that may become a keyframe. */
export interface Candidate {
  readonly atMs: number;
  readonly jpeg: Uint8Array;
}

/** A finder as it is kept between two windows of a pass; null stands for a time before all others. */
export const keyframeFinderState = z.strictObject({
  candidates: z.array(z.strictObject({ atMs: z.number(), jpeg: packedBytes })),
  cuts: z.array(z.number()),
  candidatesUntilMs: z.number().nullable(),
  cutsUntilMs: z.number().nullable(),
  startMs: z.number(),
  isRest: z.boolean(),
});
export type KeyframeFinderState = z.infer<typeof keyframeFinderState>;

/** The picture that was chosen for a piece of a shot. */
export interface ChosenKeyframe extends Candidate, Range {}

/**
 * Chooses keyframes while candidates and cuts come in, each in the order of time, and both independently. Holds the
 * candidates of one piece, and those for which cuts are not decided yet.
 */
export class KeyframeFinder {
  readonly #range: Range;
  readonly #onKeyframe: (keyframe: ChosenKeyframe) => void;
  #candidates: Candidate[] = [];
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

  candidate(candidate: Candidate): void {
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
