import { z } from 'zod';
import { brightnessAt, SMALL_HEIGHT, SMALL_WIDTH, type SmallPicture, smallPicture } from './small-picture.ts';

/** The rule for the part of small pictures within black bars. Light is of 255. */
export const AREA_RULE = {
  /** A line or column belongs to a bar if its light is at most this, and as even as this. */
  mostLight: 24,
  mostSpread: 10,
  /** How much wider than the opposite one a bar may be, in lines: the edge of a picture may cross one. */
  mostUneven: 2,
  /** The least share of a side that the picture has within bars. */
  leastShare: 0.4,
  /** Bars have to stay so long before pictures are compared within them. The first ones of a film count at once. */
  staysMs: 1500,
  /** Lines by which bars have to be wider than before: the edge of a picture lies within a line. */
  leastWider: 2,
} as const;

/** A part of a small picture in its pixels; `right` and `bottom` are not contained. */
export const pictureArea = z.strictObject({ left: z.number(), top: z.number(), right: z.number(), bottom: z.number() });
export type PictureArea = Readonly<z.infer<typeof pictureArea>>;

export const WHOLE_PICTURE: PictureArea = { left: 0, top: 0, right: SMALL_WIDTH, bottom: SMALL_HEIGHT };

const isWhole = ({ left, top, right, bottom }: PictureArea): boolean =>
  left === 0 && top === 0 && right === SMALL_WIDTH && bottom === SMALL_HEIGHT;

export const isSameArea = (one: PictureArea, other: PictureArea): boolean =>
  one.left === other.left && one.top === other.top && one.right === other.right && one.bottom === other.bottom;

/** The smallest area around both. */
export const joinedArea = (one: PictureArea, other: PictureArea): PictureArea => ({
  left: Math.min(one.left, other.left),
  top: Math.min(one.top, other.top),
  right: Math.max(one.right, other.right),
  bottom: Math.max(one.bottom, other.bottom),
});

/** What is within the area, as a picture of the usual size: comparisons of it do not count the bars. */
export function viewOf(picture: SmallPicture, area: PictureArea): SmallPicture {
  if (isWhole(area)) return picture;
  const { left, top, right, bottom } = area;
  const rgb = new Uint8Array(picture.rgb.length);
  const columns = Array.from({ length: SMALL_WIDTH }, (_, x) =>
    Math.floor(left + ((x + 0.5) * (right - left)) / SMALL_WIDTH),
  );
  for (let y = 0, at = 0; y < SMALL_HEIGHT; y += 1) {
    const row = Math.floor(top + ((y + 0.5) * (bottom - top)) / SMALL_HEIGHT) * SMALL_WIDTH;
    for (const column of columns) {
      const from = (row + column) * 3;
      rgb[at] = picture.rgb[from] ?? 0;
      rgb[at + 1] = picture.rgb[from + 1] ?? 0;
      rgb[at + 2] = picture.rgb[from + 2] ?? 0;
      at += 3;
    }
  }
  return smallPicture(picture.atMs, rgb);
}

/** True if the pixels from one on, so many steps of this length, are black and even. */
function isBar(rgb: Uint8Array, first: number, step: number, count: number): boolean {
  let [least, most] = [255, 0];
  for (let at = 0, pixel = first; at < count; at += 1, pixel += step) {
    const light = brightnessAt(rgb, pixel * 3);
    if (light < least) least = light;
    if (light > most) most = light;
    if (most > AREA_RULE.mostLight || most - least > AREA_RULE.mostSpread) return false;
  }
  return true;
}

const rowIsBar = (rgb: Uint8Array, y: number): boolean => isBar(rgb, y * SMALL_WIDTH, 1, SMALL_WIDTH);
const columnIsBar = (rgb: Uint8Array, x: number): boolean => isBar(rgb, x, SMALL_WIDTH, SMALL_HEIGHT);

/** The area of one picture without the black lines at its edges; null if all of it is black. */
function visibleIn({ rgb }: SmallPicture): PictureArea | null {
  let [left, top, right, bottom] = [0, 0, SMALL_WIDTH, SMALL_HEIGHT];
  while (top < bottom && rowIsBar(rgb, top)) top += 1;
  if (top === bottom) return null;
  while (rowIsBar(rgb, bottom - 1)) bottom -= 1;
  while (left < right && columnIsBar(rgb, left)) left += 1;
  while (left < right && columnIsBar(rgb, right - 1)) right -= 1;
  return { left, top, right, bottom };
}

/** The sides of an area along one direction if what is beside them can be bars; else the whole side. */
function sidesWithin(near: number, far: number, size: number): readonly [number, number] {
  const isEven = Math.abs(near - (size - far)) <= AREA_RULE.mostUneven;
  return isEven && far - near >= AREA_RULE.leastShare * size ? [near, far] : [0, size];
}

/** The area within the bars around what was visible. */
function withinBars(visible: PictureArea): PictureArea {
  const [left, right] = sidesWithin(visible.left, visible.right, SMALL_WIDTH);
  const [top, bottom] = sidesWithin(visible.top, visible.bottom, SMALL_HEIGHT);
  return { left, top, right, bottom };
}

/** True if no side of the inner area lies far within the outer one, which contains it. */
const isNearlySame = (inner: PictureArea, outer: PictureArea): boolean =>
  isSameArea(joinedArea(inner, outer), outer) &&
  Math.max(inner.left - outer.left, inner.top - outer.top, outer.right - inner.right, outer.bottom - inner.bottom) <
    AREA_RULE.leastWider;

/** The area, and those of the last pictures, as they are kept between two windows of a pass: equal ones in a row are one. */
export const areaFinderState = z.strictObject({
  area: pictureArea,
  seen: z.array(z.strictObject({ lastMs: z.number(), visible: pictureArea })),
});
type AreaFinderState = z.infer<typeof areaFinderState>;

/** Follows the picture within black bars. It grows at once, and shrinks once bars stayed. */
export class AreaFinder {
  #seen: AreaFinderState['seen'];
  #area: PictureArea;

  constructor(from: AreaFinderState | null = null) {
    this.#seen = from?.seen ?? [];
    this.#area = from?.area ?? WHOLE_PICTURE;
  }

  save(): AreaFinderState {
    return { area: this.#area, seen: this.#seen };
  }

  /** The area after the pictures so far: the same object until it changes. */
  get area(): PictureArea {
    return this.#area;
  }

  /** A picture without anything visible says nothing. */
  add(picture: SmallPicture): void {
    const visible = visibleIn(picture);
    if (visible === null) return;
    const last = this.#seen.at(-1);
    if (last !== undefined && isSameArea(last.visible, visible)) {
      last.lastMs = picture.atMs;
      if (this.#seen.length === 1) return;
    } else this.#seen.push({ lastMs: picture.atMs, visible });
    const kept = this.#seen.findIndex(({ lastMs }) => lastMs > picture.atMs - AREA_RULE.staysMs);
    if (kept > 0) this.#seen = this.#seen.slice(kept);
    this.#measure();
  }

  #measure(): void {
    const [first, ...others] = this.#seen;
    if (first === undefined) return;
    const visible = others.reduce<PictureArea>((all, each) => joinedArea(all, each.visible), first.visible);
    const area = withinBars(visible);
    if (!isNearlySame(area, this.#area)) this.#area = area;
  }
}
