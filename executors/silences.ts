import type { SilenceFact } from '../contract/evidence.ts';
import type { Range } from '../contract/grammar.ts';
import { DetectionFailure } from './detection-failure.ts';
import { type FrameMetadata, numberIn } from './frame-metadata.ts';

/**
 * Collects what `silencedetect` marks. It counts in seconds from the start of the range and prints six
 * significant digits: milliseconds up to 1000 s, hundredths of a second beyond.
 */
export class Silences {
  readonly #range: Range;
  readonly #facts: SilenceFact[] = [];
  #openedAt: number | null = null;

  constructor(range: Range) {
    this.#range = range;
  }

  add(frame: FrameMetadata): void {
    const start = numberIn(frame, 'lavfi.silence_start');
    const end = numberIn(frame, 'lavfi.silence_end');
    // One frame may end a silence and begin the next, or, where it is hardly long enough, begin and end the same one.
    if (this.#openedAt === null) {
      if (start !== null) this.#open(this.#sourceMs(start));
      if (end !== null) this.#close(this.#sourceMs(end));
      return;
    }
    if (end !== null) this.#close(this.#sourceMs(end));
    if (start !== null) this.#open(this.#sourceMs(start));
  }

  /** All silences; one still open lasts to the end of the sound, `audioMs` after the start of the range. */
  facts(audioMs: number): readonly SilenceFact[] {
    if (this.#openedAt !== null) this.#close(this.#sourceMs(audioMs / 1000));
    return this.#facts;
  }

  #open(startMs: number): void {
    if (this.#openedAt !== null) throw new DetectionFailure('ffmpeg began a silence inside another');
    this.#openedAt = startMs;
  }

  #close(endMs: number): void {
    const startMs = this.#openedAt;
    if (startMs === null || endMs <= startMs) throw new DetectionFailure('ffmpeg ended a silence that had not begun');
    this.#openedAt = null;
    this.#facts.push({ kind: 'silence', index: this.#facts.length, startMs, endMs });
  }

  #sourceMs(seconds: number): number {
    const { startMs, endMs } = this.#range;
    return Math.min(endMs, Math.max(startMs, startMs + Math.round(seconds * 1000)));
  }
}
