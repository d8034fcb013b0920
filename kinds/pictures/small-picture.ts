import { z } from 'zod';

/** Bytes inside the state of a measurement. */
export const packedBytes = z.custom<Uint8Array>((value) => value instanceof Uint8Array);

/** The size to which every picture of a film is brought before pictures are compared. */
export const SMALL_WIDTH = 96;
export const SMALL_HEIGHT = 54;
export const SMALL_BYTES = SMALL_WIDTH * SMALL_HEIGHT * 3;

const PIXELS = SMALL_WIDTH * SMALL_HEIGHT;

// The product of two deviations below which nothing is drawn but noise.
const EVEN = 0.05;

/** A block has six pixels by six; the last row of pixels that fills no block is left out by none: 54 is nine times six. */
export const BLOCK = 6;
export const BLOCK_COLUMNS = SMALL_WIDTH / BLOCK;
export const BLOCKS = BLOCK_COLUMNS * (SMALL_HEIGHT / BLOCK);

/** A picture of 96 × 54 pixels (RGB, three bytes each) on the source's time line, and what comparisons need of it. */
export interface SmallPicture {
  readonly atMs: number;
  readonly rgb: Uint8Array;
  /** Brightness (Rec. 601 luma) of each pixel, its mean, and its standard deviation; all 0 to 255. */
  readonly luma: Float32Array;
  readonly light: number;
  readonly contrast: number;
  /** Mean of each channel in each block. */
  readonly blocks: Float32Array;
}

/** A picture as it is kept: what was measured of it is measured again. */
export const keptPicture = z.strictObject({ atMs: z.number(), rgb: packedBytes });

/** The picture that was kept. */
export const restoredPicture = ({ atMs, rgb }: z.infer<typeof keptPicture>): SmallPicture =>
  smallPicture(atMs, new Uint8Array(rgb));

/** Measures a picture; `rgb` must not change afterwards. */
export function smallPicture(atMs: number, rgb: Uint8Array): SmallPicture {
  const blocks = new Float32Array(BLOCKS * 3);
  let sum = 0;
  let squares = 0;
  for (let y = 0, at = 0; y < SMALL_HEIGHT; y += 1) {
    let block = Math.floor(y / BLOCK) * BLOCK_COLUMNS * 3;
    for (let column = 0; column < BLOCK_COLUMNS; column += 1, block += 3) {
      let red = 0;
      let green = 0;
      let blue = 0;
      for (const end = at + BLOCK * 3; at < end; at += 3) {
        const r = rgb[at] ?? 0;
        const g = rgb[at + 1] ?? 0;
        const b = rgb[at + 2] ?? 0;
        const value = brightness(r, g, b);
        sum += value;
        squares += value * value;
        red += r;
        green += g;
        blue += b;
      }
      blocks[block] = (blocks[block] ?? 0) + red / (BLOCK * BLOCK);
      blocks[block + 1] = (blocks[block + 1] ?? 0) + green / (BLOCK * BLOCK);
      blocks[block + 2] = (blocks[block + 2] ?? 0) + blue / (BLOCK * BLOCK);
    }
  }
  const light = sum / PIXELS;
  const contrast = Math.sqrt(Math.max(0, squares / PIXELS - light * light));
  let luma: Float32Array | null = null;
  return {
    atMs,
    rgb,
    light,
    contrast,
    blocks,
    // Few pictures are looked at so closely.
    get luma() {
      luma ??= lumaOf(rgb);
      return luma;
    },
  };
}

const brightness = (red: number, green: number, blue: number): number => 0.299 * red + 0.587 * green + 0.114 * blue;

function lumaOf(rgb: Uint8Array): Float32Array {
  const luma = new Float32Array(PIXELS);
  for (let pixel = 0, at = 0; pixel < PIXELS; pixel += 1, at += 3) {
    luma[pixel] = brightnessAt(rgb, at);
  }
  return luma;
}

/** The brightness of the pixel whose three bytes begin here, as `luma` has it. */
export const brightnessAt = (rgb: Uint8Array, at: number): number =>
  Math.fround(brightness(rgb[at] ?? 0, rgb[at + 1] ?? 0, rgb[at + 2] ?? 0));

/** How much two pictures differ: the mean distance of their values, 0 to 255. */
export function difference(one: SmallPicture, other: SmallPicture): number {
  const [a, b] = [one.rgb, other.rgb];
  let sum = 0;
  for (let at = 0; at < SMALL_BYTES; at += 1) sum += Math.abs((a[at] ?? 0) - (b[at] ?? 0));
  return sum / SMALL_BYTES;
}

/** The same of the means of their blocks, which is at most as much. Both have as many. */
export function blockDifference(
  { blocks: a }: Pick<SmallPicture, 'blocks'>,
  { blocks: b }: Pick<SmallPicture, 'blocks'>,
): number {
  let sum = 0;
  for (let at = 0; at < a.length; at += 1) sum += Math.abs((a[at] ?? 0) - (b[at] ?? 0));
  return sum / a.length;
}

/** Pearson's correlation of the means of blocks of two pictures, which have as many; 0 where one of them is even. */
export function likenessOfBlocks(a: Float32Array, b: Float32Array): number {
  let sumA = 0;
  let sumB = 0;
  let squaresA = 0;
  let squaresB = 0;
  let products = 0;
  const size = a.length;
  for (let at = 0; at < size; at += 1) {
    const p = a[at] ?? 0;
    const q = b[at] ?? 0;
    sumA += p;
    sumB += q;
    squaresA += p * p;
    squaresB += q * q;
    products += p * q;
  }
  const spread = (squaresA - (sumA * sumA) / size) * (squaresB - (sumB * sumB) / size);
  return spread <= size * size ? 0 : (products - (sumA * sumB) / size) / Math.sqrt(spread);
}

/** Light and contrast of a part of a picture, in its pixels. */
export function lightWithin(
  rgb: Uint8Array,
  {
    left,
    top,
    right,
    bottom,
  }: { readonly left: number; readonly top: number; readonly right: number; readonly bottom: number },
): Pick<SmallPicture, 'light' | 'contrast'> {
  let [sum, squares] = [0, 0];
  for (let y = top; y < bottom; y += 1) {
    for (let x = left; x < right; x += 1) {
      const light = brightnessAt(rgb, (y * SMALL_WIDTH + x) * 3);
      sum += light;
      squares += light * light;
    }
  }
  const count = (right - left) * (bottom - top);
  const light = sum / count;
  return { light, contrast: Math.sqrt(Math.max(0, squares / count - light * light)) };
}

/** The share of the whole difference that lies in the quarter of the blocks that differ most, 0 to 1. */
export function concentration(one: SmallPicture, other: SmallPicture): number {
  const changes = new Float32Array(BLOCKS);
  const [a, b] = [one.rgb, other.rgb];
  for (let at = 0; at < SMALL_BYTES; at += 1) {
    const pixel = Math.floor(at / 3);
    const row = Math.floor(pixel / SMALL_WIDTH / BLOCK);
    const block = row * BLOCK_COLUMNS + Math.floor((pixel % SMALL_WIDTH) / BLOCK);
    changes[block] = (changes[block] ?? 0) + Math.abs((a[at] ?? 0) - (b[at] ?? 0));
  }
  changes.sort();
  const whole = changes.reduce((sum, change) => sum + change, 0);
  const most = changes.subarray(BLOCKS - BLOCKS / 4).reduce((sum, change) => sum + change, 0);
  return whole === 0 ? 0 : most / whole;
}

/** Pearson's correlation of the brightness of two pictures; 0 where one of them is even. Light and contrast do not change it. */
export function likeness(one: SmallPicture, other: SmallPicture): number {
  const scale = one.contrast * other.contrast * PIXELS;
  if (scale < PIXELS * EVEN) return 0;
  let sum = 0;
  for (let pixel = 0; pixel < PIXELS; pixel += 1) {
    sum += ((one.luma[pixel] ?? 0) - one.light) * ((other.luma[pixel] ?? 0) - other.light);
  }
  return sum / scale;
}

/** The same of the detail alone: of what each pixel differs from the one to its right. Two views with a sky above are alike without it. */
export function likenessOfDetail(one: SmallPicture, other: SmallPicture): number {
  let squaresA = 0;
  let squaresB = 0;
  let products = 0;
  for (let pixel = 1; pixel < PIXELS; pixel += 1) {
    if (pixel % SMALL_WIDTH === 0) continue;
    const a = (one.luma[pixel] ?? 0) - (one.luma[pixel - 1] ?? 0);
    const b = (other.luma[pixel] ?? 0) - (other.luma[pixel - 1] ?? 0);
    squaresA += a * a;
    squaresB += b * b;
    products += a * b;
  }
  const scale = Math.sqrt(squaresA * squaresB);
  return scale < PIXELS * EVEN ? 0 : products / scale;
}

const REACH_X = 24;
const REACH_Y = 10;
const STEP = 2;

/**
 * The largest likeness of two pictures when one is moved over the other. The move is at most a quarter of the width and a fifth
 * of the height. When a camera turns, this part of a picture remains.
 */
export function likenessMoved(one: SmallPicture, other: SmallPicture): number {
  let best = -1;
  for (let y = -REACH_Y; y <= REACH_Y; y += STEP) {
    for (let x = -REACH_X; x <= REACH_X; x += STEP) best = Math.max(best, overlap(one.luma, other.luma, x, y));
  }
  return best;
}

/** Correlation where both pictures lie over each other, over every second pixel of every second row. */
function overlap(a: Float32Array, b: Float32Array, dx: number, dy: number): number {
  let n = 0;
  let sumA = 0;
  let sumB = 0;
  let squaresA = 0;
  let squaresB = 0;
  let products = 0;
  for (let y = Math.max(0, -dy); y < SMALL_HEIGHT - Math.max(0, dy); y += STEP) {
    for (let x = Math.max(0, -dx); x < SMALL_WIDTH - Math.max(0, dx); x += STEP) {
      const p = a[y * SMALL_WIDTH + x] ?? 0;
      const q = b[(y + dy) * SMALL_WIDTH + x + dx] ?? 0;
      n += 1;
      sumA += p;
      sumB += q;
      squaresA += p * p;
      squaresB += q * q;
      products += p * q;
    }
  }
  const spread = (squaresA - (sumA * sumA) / n) * (squaresB - (sumB * sumB) / n);
  return spread <= n * n * 0.05 ? 0 : (products - (sumA * sumB) / n) / Math.sqrt(spread);
}
