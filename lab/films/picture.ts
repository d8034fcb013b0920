/** An RGB picture, three bytes a pixel, row by row. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly rgb: Uint8Array;
}

export type Color = readonly [number, number, number];

export const picture = (width: number, height: number): Picture => ({
  width,
  height,
  rgb: new Uint8Array(width * height * 3),
});

/** Where and how a camera looks at a picture: the center (a share of it), how wide it looks (a share of its width). */
export interface View {
  readonly x: number;
  readonly y: number;
  readonly reach: number;
}

const mirrored = (at: number, size: number): number => {
  const period = 2 * (size - 1);
  const folded = ((at % period) + period) % period;
  return folded < size ? folded : period - folded;
};

/** Where between two neighboring pixels each place of a line lies: the first, the second, the share of the second. */
function placesOf(center: number, step: number, count: number, size: number) {
  const [first, second, share] = [new Int32Array(count), new Int32Array(count), new Float32Array(count)];
  for (let place = 0; place < count; place += 1) {
    const at = mirrored(center * size + (place - count / 2) * step, size);
    first[place] = Math.floor(at);
    second[place] = Math.min(Math.floor(at) + 1, size - 1);
    share[place] = at - Math.floor(at);
  }
  return { first, second, share };
}

/** Looks at a picture, which continues as its mirror image beyond its edges; between its pixels it is smooth. */
export function look({ rgb, width, height }: Picture, view: View, into: Picture): void {
  const step = (width * view.reach) / into.width;
  const columns = placesOf(view.x, step, into.width, width);
  const rows = placesOf(view.y, step, into.height, height);
  let at = 0;
  for (let row = 0; row < into.height; row += 1) {
    const top = (rows.first[row] ?? 0) * width;
    const below = (rows.second[row] ?? 0) * width;
    const downward = rows.share[row] ?? 0;
    for (let column = 0; column < into.width; column += 1) {
      const left = columns.first[column] ?? 0;
      const right = columns.second[column] ?? 0;
      const onward = columns.share[column] ?? 0;
      for (let channel = 0; channel < 3; channel += 1) {
        const upperLeft = rgb[(top + left) * 3 + channel] ?? 0;
        const upperRight = rgb[(top + right) * 3 + channel] ?? 0;
        const lowerLeft = rgb[(below + left) * 3 + channel] ?? 0;
        const lowerRight = rgb[(below + right) * 3 + channel] ?? 0;
        const upper = upperLeft + (upperRight - upperLeft) * onward;
        const lower = lowerLeft + (lowerRight - lowerLeft) * onward;
        into.rgb[at++] = upper + (lower - upper) * downward;
      }
    }
  }
}

/** Fills a rectangle or, when `round`, the ellipse in it; what lies beyond the edges is cut off. */
export function fill(
  { width, height, rgb }: Picture,
  box: { readonly x: number; readonly y: number; readonly w: number; readonly h: number; readonly round?: boolean },
  color: Color,
): void {
  const [left, top] = [Math.max(0, Math.floor(box.x)), Math.max(0, Math.floor(box.y))];
  const [right, bottom] = [Math.min(width, Math.ceil(box.x + box.w)), Math.min(height, Math.ceil(box.y + box.h))];
  for (let y = top; y < bottom; y += 1) {
    for (let x = left; x < right; x += 1) {
      const [u, v] = [(2 * (x - box.x)) / box.w - 1, (2 * (y - box.y)) / box.h - 1];
      if (box.round === true && u * u + v * v > 1) continue;
      rgb.set(color, (y * width + x) * 3);
    }
  }
}
