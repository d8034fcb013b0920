import { DetectionFailure } from '../detector/detection-failure.ts';
import { SMALL_BYTES, type SmallPicture, smallPicture } from '../pictures/small-picture.ts';
import type { FrameMetadata } from './frame-metadata.ts';

/** Pictures carry microseconds from the seek point, so that their times are exact integers. */
export const VIDEO_TICKS_PER_MS = 1000;

// Times come a little before their pictures. One that comes late may keep this many pictures waiting.
const MOST_WAITING = 64;

/**
 * Joins two pipes of one pass: the pixels of small pictures (RGB, one after another) and, in the same order, their times. Hands
 * over whole pictures; holds at most a few.
 */
export class PictureStream {
  readonly #seekMs: number;
  readonly #onPicture: (picture: SmallPicture) => void;
  readonly #times: number[] = [];
  readonly #waiting: Uint8Array[] = [];
  #open = Buffer.alloc(SMALL_BYTES);
  #filled = 0;
  #resume: () => void = () => undefined;

  /** `seekMs` is the source time of tick 0. */
  constructor(seekMs: number, onPicture: (picture: SmallPicture) => void) {
    this.#seekMs = seekMs;
    this.#onPicture = onPicture;
  }

  addTime({ pts }: FrameMetadata): void {
    this.#times.push(this.#seekMs + Math.round(pts / VIDEO_TICKS_PER_MS));
    this.#join();
    this.#resume();
  }

  /** Takes pixels in pieces of any size; resolves when there is room for more. */
  async write(chunk: Buffer): Promise<void> {
    for (let at = 0; at < chunk.length; ) {
      const taken = chunk.copy(this.#open, this.#filled, at);
      at += taken;
      this.#filled += taken;
      if (this.#filled < SMALL_BYTES) continue;
      this.#waiting.push(this.#open);
      this.#open = Buffer.alloc(SMALL_BYTES);
      this.#filled = 0;
      this.#join();
    }
    while (this.#waiting.length > MOST_WAITING) {
      await new Promise<void>((resolve) => {
        this.#resume = resolve;
      });
    }
  }

  /** Throws `DetectionFailure` where a picture has no time, or a time no picture. */
  end(): void {
    if (this.#waiting.length + this.#times.length + this.#filled > 0) {
      throw new DetectionFailure('ffmpeg gave not as many pictures as times');
    }
  }

  #join(): void {
    while (this.#waiting.length > 0 && this.#times.length > 0) {
      const [rgb, atMs] = [this.#waiting.shift(), this.#times.shift()];
      if (rgb !== undefined && atMs !== undefined) this.#onPicture(smallPicture(atMs, rgb));
    }
  }
}
