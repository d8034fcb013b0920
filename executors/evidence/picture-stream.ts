import { DetectionFailure } from '../detector/detection-failure.ts';
import { SMALL_BYTES, type SmallPicture, smallPicture } from '../pictures/small-picture.ts';
import type { FrameMetadata } from './frame-metadata.ts';
import { TimedFrames } from './timed-frames.ts';

/** Reads the pixels of small pictures (RGB, one after another) and hands over whole pictures with their times. */
export class PictureStream {
  readonly #frames: TimedFrames;
  #open = Buffer.alloc(SMALL_BYTES);
  #filled = 0;

  /** `seekMs` is the source time of tick 0. */
  constructor(seekMs: number, onPicture: (picture: SmallPicture) => void) {
    this.#frames = new TimedFrames(seekMs, (atMs, rgb) => onPicture(smallPicture(atMs, rgb)));
  }

  addTime(frame: FrameMetadata): void {
    this.#frames.addTime(frame);
  }

  /** Takes pixels in pieces of any size; resolves when there is room for more. */
  async write(chunk: Buffer): Promise<void> {
    for (let at = 0; at < chunk.length; ) {
      const taken = chunk.copy(this.#open, this.#filled, at);
      at += taken;
      this.#filled += taken;
      if (this.#filled < SMALL_BYTES) continue;
      this.#frames.add(this.#open);
      this.#open = Buffer.alloc(SMALL_BYTES);
      this.#filled = 0;
    }
    await this.#frames.room();
  }

  /** Throws `DetectionFailure` where a picture has no time, or a time no picture. */
  end(): void {
    if (this.#filled > 0) throw new DetectionFailure('ffmpeg gave a part of a picture');
    this.#frames.end();
  }
}
