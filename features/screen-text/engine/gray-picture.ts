import { DetectionFailure } from '../../../kinds/detection-failure.ts';

/** One picture in gray, as ffmpeg writes it in the format PGM. */
export interface GrayPicture {
  readonly width: number;
  readonly height: number;
  /** One byte a pixel, row by row. */
  readonly pixels: Buffer;
  /** The whole file. */
  readonly pgm: Buffer;
}

const HEAD = /^P5\n(\d{1,5}) (\d{1,5})\n255\n/;
const LONGEST_HEAD = 32;
const EMPTY = Buffer.alloc(0);

/** A picture of these pixels, one byte each. */
export function grayPictureOf(width: number, height: number, pixels: Buffer): GrayPicture {
  const head = Buffer.from(`P5\n${width} ${height}\n255\n`);
  const pgm = Buffer.concat([head, pixels]);
  return { width, height, pixels: pgm.subarray(head.length), pgm };
}

/** The picture of one whole file. Throws `DetectionFailure` on another form. */
export function grayPicture(pgm: Buffer): GrayPicture {
  const [picture, ...more] = new GrayPictures().push(pgm);
  if (picture === undefined || more.length > 0) throw new DetectionFailure('a picture in an unknown form');
  return picture;
}

/** Cuts the output of ffmpeg into pictures. Throws `DetectionFailure` on another form. */
export class GrayPictures {
  #rest: Buffer = EMPTY;

  /** The pictures that became whole with this chunk. */
  push(chunk: Buffer): GrayPicture[] {
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const whole: GrayPicture[] = [];
    for (let picture = this.#take(); picture !== null; picture = this.#take()) whole.push(picture);
    return whole;
  }

  /** Throws `DetectionFailure` where a picture is cut. */
  end(): void {
    if (this.#rest.length > 0) throw new DetectionFailure('ffmpeg gave a part of a picture');
  }

  #take(): GrayPicture | null {
    const head = HEAD.exec(this.#rest.toString('latin1', 0, LONGEST_HEAD));
    if (head === null) {
      if (this.#rest.length >= LONGEST_HEAD) throw new DetectionFailure('ffmpeg gave pictures in an unknown form');
      return null;
    }
    const [width, height] = [Number(head[1]), Number(head[2])];
    const end = head[0].length + width * height;
    if (this.#rest.length < end) return null;
    const pgm = Buffer.from(this.#rest.subarray(0, end));
    this.#rest = this.#rest.subarray(end);
    return { width, height, pixels: pgm.subarray(head[0].length), pgm };
  }
}

const BLOCK = 16;

/**
 * The mean change from which one block of 16 by 16 pixels on a picture differs from another, in steps of gray. That of a thin
 * letter on its ground is many times as much, that of an encoder's noise less than half.
 */
export const CHANGE_RULE = { block: BLOCK, meanSteps: 8 } as const;

/** True if any block of two pictures differs. Pictures of different sizes do. */
export function differs(one: GrayPicture, other: GrayPicture): boolean {
  const { width, height } = one;
  if (width !== other.width || height !== other.height) return true;
  for (let top = 0; top < height; top += BLOCK) {
    for (let left = 0; left < width; left += BLOCK) {
      if (blockDiffers(one, other, left, top)) return true;
    }
  }
  return false;
}

function blockDiffers(one: GrayPicture, other: GrayPicture, left: number, top: number): boolean {
  const right = Math.min(left + BLOCK, one.width);
  const bottom = Math.min(top + BLOCK, one.height);
  let sum = 0;
  for (let y = top; y < bottom; y += 1) {
    for (let at = y * one.width + left; at < y * one.width + right; at += 1) {
      sum += Math.abs((one.pixels[at] ?? 0) - (other.pixels[at] ?? 0));
    }
  }
  return sum >= CHANGE_RULE.meanSteps * (right - left) * (bottom - top);
}

/**
 * The rule for a picture of noise or a pattern, which would take an engine minutes. More than this share of neighboring pixels
 * differ by so many steps of gray. A page of the smallest readable print has 0.33, noise 0.4 and more.
 */
export const NOISE_RULE = { steps: 32, share: 0.36 } as const;

/** True if a picture is noise. */
export function isNoise({ width, pixels }: GrayPicture): boolean {
  let edges = 0;
  for (let at = 1; at < pixels.length; at += 1) {
    if (at % width !== 0 && Math.abs((pixels[at] ?? 0) - (pixels[at - 1] ?? 0)) > NOISE_RULE.steps) edges += 1;
  }
  return edges > NOISE_RULE.share * pixels.length;
}
