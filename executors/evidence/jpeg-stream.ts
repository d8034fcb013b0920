import { jpegSizeOf } from '../../contract/evidence/evidence-object-form.ts';
import { DetectionFailure } from '../detector/detection-failure.ts';
import type { FrameMetadata } from './frame-metadata.ts';
import { TimedFrames } from './timed-frames.ts';

// What ffmpeg's `mpjpeg` writes before each picture: the only output of JPEGs that says how long each is.
const HEAD = /^--ffmpeg\r\nContent-type: image\/jpeg\r\nContent-length: (\d{1,8})\r\n\r\n/;
const LONGEST_HEAD = 128;
const TAIL_BYTES = 2;
/** What is left behind the last one. */
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

  /** A copy of the next whole picture; null where it has not come yet. */
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

/** Width and height of a baseline JPEG, as its frame header states them. Throws `DetectionFailure` where there is none. */
export function jpegSize(jpeg: Uint8Array): { readonly width: number; readonly height: number } {
  const size = jpegSizeOf(jpeg);
  if (size === null) throw new DetectionFailure('ffmpeg gave a picture that is no JPEG');
  return size;
}
