import { DetectionFailure } from '../detection-failure.ts';
import { SMALL_BYTES, type SmallPicture, smallPicture } from './small-picture.ts';

/** The text of a filter for one frame; `number` counts the frames of the filter, `pts` is in the time base of the frame. */
export interface FrameMetadata {
  readonly number: number;
  readonly pts: number;
  readonly values: ReadonlyMap<string, string>;
}

const FRAME_LINE = /^frame:(\d+) +pts:(-?\d+) +pts_time:\S+$/;
const LONGEST_LINE = 64 * 1024;

/**
 * Reads what ffmpeg's `metadata=mode=print` writes, in pieces of any size, and holds one frame. Throws
 * `DetectionFailure` on anything else.
 */
export class FrameMetadataReader {
  readonly #onFrame: (frame: FrameMetadata) => void;
  #rest = '';
  #frame: (FrameMetadata & { readonly values: Map<string, string> }) | null = null;

  constructor(onFrame: (frame: FrameMetadata) => void) {
    this.#onFrame = onFrame;
  }

  push(chunk: Buffer): void {
    // Keys and numbers are ASCII; a character cut in two could only be in a value that is not read.
    const lines = (this.#rest + chunk.toString('latin1')).split('\n');
    this.#rest = lines.pop() ?? '';
    if (this.#rest.length > LONGEST_LINE) throw unreadable();
    for (const line of lines) this.#line(line);
  }

  /** Hands over the last frame. */
  end(): void {
    if (this.#rest !== '') throw unreadable();
    this.#deliver();
  }

  #line(line: string): void {
    const frame = FRAME_LINE.exec(line);
    if (frame !== null) {
      this.#deliver();
      this.#frame = { number: Number(frame[1]), pts: Number(frame[2]), values: new Map() };
      return;
    }
    const equals = line.indexOf('=');
    if (this.#frame === null || equals < 1) throw unreadable();
    this.#frame.values.set(line.slice(0, equals), line.slice(equals + 1));
  }

  #deliver(): void {
    if (this.#frame !== null) this.#onFrame(this.#frame);
    this.#frame = null;
  }
}

/** A value that must be a decimal number; null where the frame has none. */
export function numberIn({ values }: FrameMetadata, key: string): number | null {
  const text = values.get(key);
  if (text === undefined) return null;
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value)) throw new DetectionFailure(`ffmpeg gave no number for ${key}`);
  return value;
}

const unreadable = () => new DetectionFailure('ffmpeg described a frame in an unknown form');

/** Pictures carry microseconds from the seek point, so that their times are exact integers. */
export const VIDEO_TICKS_PER_MS = 1000;

// A time that comes late may keep this many pictures waiting.
const MOST_WAITING = 512;

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

/** Reads the pixels of small pictures (RGB, one after another) and hands over whole pictures with their times. */
export class PictureStream {
  readonly #frames: TimedFrames;
  #open = Buffer.allocUnsafeSlow(SMALL_BYTES);
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
      this.#open = Buffer.allocUnsafeSlow(SMALL_BYTES);
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
