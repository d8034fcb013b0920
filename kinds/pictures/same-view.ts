import type { PictureArea } from './picture-area.ts';
import { brightnessAt, SMALL_HEIGHT, SMALL_WIDTH } from './small-picture.ts';

/**
 * The rule for two pictures of one view. A transition leaves the detail of hardly any tile: at most 6 of 100 in drawn films. Of a
 * camera that does not move, 23 of 100 or more stay, whatever crosses the picture and however the light changes.
 */
export const VIEW_RULE = {
  /** The least mean square of the detail of a tile that says something, and how many such tiles there must be. */
  leastDetail: 1,
  leastTiles: 8,
  /** The detail of a tile is the same if it correlates more than this. */
  leastAlike: 0.6,
  /** So many of the tiles are the same in two pictures of one view. */
  leastShare: 0.15,
} as const;

const TILE_WIDTH = 12;
const TILE_HEIGHT = 9;

/** The brightness of each pixel of a small picture in whole numbers. */
export function lumaBytes(rgb: Uint8Array): Uint8Array {
  const luma = new Uint8Array(SMALL_WIDTH * SMALL_HEIGHT);
  for (let pixel = 0, at = 0; pixel < luma.length; pixel += 1, at += 3) luma[pixel] = brightnessAt(rgb, at);
  return luma;
}

/** The correlation of the detail of one tile, from pixel to pixel across and down; null if one picture has hardly any there. */
function tileLikeness(a: Uint8Array, b: Uint8Array, left: number, top: number): number | null {
  let [squaresA, squaresB, products] = [0, 0, 0];
  for (let y = top; y < top + TILE_HEIGHT - 1; y += 1) {
    for (let x = left; x < left + TILE_WIDTH - 1; x += 1) {
      const at = y * SMALL_WIDTH + x;
      for (const next of [at + 1, at + SMALL_WIDTH]) {
        const p = (a[next] ?? 0) - (a[at] ?? 0);
        const q = (b[next] ?? 0) - (b[at] ?? 0);
        squaresA += p * p;
        squaresB += q * q;
        products += p * q;
      }
    }
  }
  const count = 2 * (TILE_WIDTH - 1) * (TILE_HEIGHT - 1);
  if (Math.max(squaresA, squaresB) < VIEW_RULE.leastDetail * count) return null;
  const scale = Math.sqrt(squaresA * squaresB);
  return scale === 0 ? 0 : products / scale;
}

/** True if two pictures, by the brightness of their pixels, are one view of a camera that does not move. Bars do not count. */
export function isSameView(a: Uint8Array, b: Uint8Array, area: PictureArea): boolean {
  let [same, tiles] = [0, 0];
  for (let top = 0; top < SMALL_HEIGHT; top += TILE_HEIGHT) {
    if (top < area.top || top + TILE_HEIGHT > area.bottom) continue;
    for (let left = 0; left < SMALL_WIDTH; left += TILE_WIDTH) {
      if (left < area.left || left + TILE_WIDTH > area.right) continue;
      const alike = tileLikeness(a, b, left, top);
      if (alike === null) continue;
      tiles += 1;
      if (alike > VIEW_RULE.leastAlike) same += 1;
    }
  }
  return tiles >= VIEW_RULE.leastTiles && same >= VIEW_RULE.leastShare * tiles;
}
