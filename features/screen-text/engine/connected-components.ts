import type { GrayPicture } from './gray-picture.ts';

// Divides a picture into the shapes that one threshold separates from their ground.

/** A place in pixels, half open. */
export interface PixelBox {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** Pixels that touch each other, on one side of a threshold. */
export interface Component extends PixelBox {
  readonly id: number;
  readonly pixels: number;
}

/** A component with its gray, and that of the ground around it. */
export interface MeasuredComponent extends Component {
  /** The mean gray of its pixels and of the ring around it, and the deviation of its pixels. */
  readonly mean: number;
  readonly around: number;
  readonly deviation: number;
}

/** A picture that one threshold divided. */
export interface DividedPicture {
  readonly picture: GrayPicture;
  readonly components: readonly Component[];
  /** For each pixel the id of its component; 0 for the ground. */
  readonly labels: Int32Array;
}

export const heightOf = ({ top, bottom }: PixelBox): number => bottom - top;
export const widthOf = ({ left, right }: PixelBox): number => right - left;

/** The least box around boxes. */
export const boxAround = (boxes: readonly PixelBox[]): PixelBox => ({
  left: Math.min(...boxes.map(({ left }) => left)),
  top: Math.min(...boxes.map(({ top }) => top)),
  right: Math.max(...boxes.map(({ right }) => right)),
  bottom: Math.max(...boxes.map(({ bottom }) => bottom)),
});

/**
 * Labels the connected pixels on one side of a threshold (four neighbors): one pass that notes which labels are one, and one that joins
 * them. Both look at a million pixels for each threshold, so they keep to arrays of numbers.
 */
export function divided(picture: GrayPicture, threshold: number, isLight: boolean): DividedPicture {
  const { width, height, pixels } = picture;
  const labels = new Int32Array(pixels.length);
  // A new label has no label to its left, so at most every second pixel has one.
  const parents = new Int32Array(height * Math.ceil(width / 2) + 1);
  let most = 0;
  const rootOf = (label: number): number => {
    let root = label;
    for (let next = parents[root] ?? 0; next !== root; next = parents[root] ?? 0) {
      // Each look shortens the way for the next one.
      parents[root] = parents[next] ?? 0;
      root = next;
    }
    return root;
  };
  for (let at = 0, x = 0; at < pixels.length; at += 1, x = x + 1 === width ? 0 : x + 1) {
    const gray = pixels[at] ?? 0;
    if (isLight ? gray < threshold : gray > threshold) continue;
    const before = x === 0 ? 0 : (labels[at - 1] ?? 0);
    const above = at < width ? 0 : (labels[at - width] ?? 0);
    if (before === 0 && above === 0) {
      most += 1;
      parents[most] = most;
      labels[at] = most;
      continue;
    }
    labels[at] = before === 0 ? above : before;
    if (before !== 0 && above !== 0 && before !== above) {
      const [one, other] = [rootOf(before), rootOf(above)];
      parents[Math.max(one, other)] = Math.min(one, other);
    }
  }
  // Left, top, right, bottom and pixels of each root.
  const found = new Int32Array(5 * (most + 1));
  for (let at = 0, x = 0, y = 0; at < pixels.length; at += 1) {
    const label = labels[at] ?? 0;
    if (label !== 0) {
      const id = rootOf(label);
      labels[at] = id;
      const box = 5 * id;
      if (found[box + 4] === 0) {
        found[box] = x;
        found[box + 1] = y;
      } else if (x < (found[box] ?? 0)) found[box] = x;
      if (x >= (found[box + 2] ?? 0)) found[box + 2] = x + 1;
      found[box + 3] = y + 1;
      found[box + 4] = (found[box + 4] ?? 0) + 1;
    }
    x += 1;
    if (x === width) [x, y] = [0, y + 1];
  }
  const components: Component[] = [];
  for (let id = 1; id <= most; id += 1) {
    const [left = 0, top = 0, right = 0, bottom = 0, count = 0] = found.subarray(5 * id, 5 * id + 5);
    if (count > 0) components.push({ id, left, top, right, bottom, pixels: count });
  }
  return { picture, components, labels };
}

/** Measures a component and the ground within so many pixels around it. */
export function measured(
  component: Component,
  { picture: { width, height, pixels }, labels }: DividedPicture,
  ringPixels: number,
): MeasuredComponent {
  let [inside, squares, outside, count] = [0, 0, 0, 0];
  const bottom = Math.min(height, component.bottom + ringPixels);
  const right = Math.min(width, component.right + ringPixels);
  for (let y = Math.max(0, component.top - ringPixels); y < bottom; y += 1) {
    for (let x = Math.max(0, component.left - ringPixels); x < right; x += 1) {
      const gray = pixels[y * width + x] ?? 0;
      const label = labels[y * width + x];
      if (label === component.id) {
        inside += gray;
        squares += gray * gray;
      } else if (label === 0) {
        outside += gray;
        count += 1;
      }
    }
  }
  const mean = inside / component.pixels;
  const deviation = Math.sqrt(Math.max(0, squares / component.pixels - mean * mean));
  return { ...component, mean, deviation, around: count === 0 ? mean : outside / count };
}
