import { DetectionFailure } from '../detector/detection-failure.ts';
import type { FrameMetadata } from './frame-metadata.ts';

/** Pictures carry microseconds from the seek point, so that their times are exact integers. */
export const VIDEO_TICKS_PER_MS = 1000;

// Times come a little before their pictures. One that comes late may keep this many pictures waiting.
const MOST_WAITING = 64;

/** Joins pictures with their times, which come by another pipe in the same order; holds at most a few. */
export class TimedFrames {
  readonly #seekMs: number;
  readonly #onFrame: (atMs: number, bytes: Uint8Array) => void;
  readonly #times: number[] = [];
  readonly #waiting: Uint8Array[] = [];
  #resume: () => void = () => undefined;

  /** `seekMs` is the source time of tick 0. */
  constructor(seekMs: number, onFrame: (atMs: number, bytes: Uint8Array) => void) {
    this.#seekMs = seekMs;
    this.#onFrame = onFrame;
  }

  addTime({ pts }: FrameMetadata): void {
    this.#times.push(this.#seekMs + Math.round(pts / VIDEO_TICKS_PER_MS));
    this.#join();
    this.#resume();
  }

  add(bytes: Uint8Array): void {
    this.#waiting.push(bytes);
    this.#join();
  }

  /** Resolves when there is room for more. */
  async room(): Promise<void> {
    while (this.#waiting.length > MOST_WAITING) {
      await new Promise<void>((resolve) => {
        this.#resume = resolve;
      });
    }
  }

  /** Throws `DetectionFailure` where a picture has no time, or a time no picture. */
  end(): void {
    if (this.#waiting.length + this.#times.length > 0) {
      throw new DetectionFailure('ffmpeg gave not as many pictures as times');
    }
  }

  #join(): void {
    while (this.#waiting.length > 0 && this.#times.length > 0) {
      const [bytes, atMs] = [this.#waiting.shift(), this.#times.shift()];
      if (bytes !== undefined && atMs !== undefined) this.#onFrame(atMs, bytes);
    }
  }
}
