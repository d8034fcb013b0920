import { DetectionFailure } from '../detector/detection-failure.ts';

/** What a filter wrote on one frame; `number` counts what the filter has seen, `pts` in the time base of the frame. */
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
    // Keys and numbers are ASCII; a character cut in two could only stand in a value that is not read.
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
