import type { Range } from '../../contract/base/grammar.ts';
import type { ShotFact } from '../../contract/evidence/evidence.ts';
import { DetectionFailure } from '../detector/detection-failure.ts';
import { SHOT_RULE } from './detection-parameters.ts';
import { type FrameMetadata, numberIn } from './frame-metadata.ts';

/** Frames carry microseconds from the seek point, so that their times are exact integers. */
export const VIDEO_TICKS_PER_MS = 1000;

/**
 * Collects the cuts of a range from the frames that `scdet` has marked, in the order of time. Frames before the range may
 * come too: the first frame of the range is compared with them, and a cut among them still debounces.
 */
export class ShotChanges {
  readonly #range: Range;
  readonly #seekMs: number;
  readonly #facts: ShotFact[] = [];
  #frames = 0;
  #firstMs: number | null = null;
  #lastMs: number | null = null;
  #lastCutMs = Number.NEGATIVE_INFINITY;

  /** `seekMs` is the source time of tick 0. */
  constructor(range: Range, seekMs: number) {
    this.#range = range;
    this.#seekMs = seekMs;
  }

  /** The time of the newest frame; null before the first. */
  get lastMs(): number | null {
    return this.#lastMs;
  }

  add(frame: FrameMetadata): void {
    const atMs = this.#seekMs + Math.round(frame.pts / VIDEO_TICKS_PER_MS);
    this.#firstMs ??= atMs;
    this.#lastMs = atMs;
    const inRange = atMs >= this.#range.startMs && atMs < this.#range.endMs;
    if (inRange) this.#frames += 1;
    const score = numberIn(frame, 'lavfi.scd.score');
    if (score === null || score < 0) throw new DetectionFailure('ffmpeg gave a frame no score');
    if (!frame.values.has('lavfi.scd.time') || atMs - this.#lastCutMs < SHOT_RULE.debounceMs) return;
    this.#lastCutMs = atMs;
    if (!inRange) return;
    this.#facts.push({ kind: 'shot_change', index: this.#facts.length, atMs, scoreMilli: Math.round(score * 1000) });
  }

  /** Whether pictures came from before the range on: only then is it sure that none of the range is missing. */
  get beganBefore(): boolean {
    return this.#firstMs !== null && this.#firstMs < this.#range.startMs;
  }

  /** Null when no frame lies in the range. */
  facts(): readonly ShotFact[] | null {
    return this.#frames === 0 ? null : this.#facts;
  }
}
