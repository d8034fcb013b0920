import {
  boxAround,
  type Component,
  type DividedPicture,
  divided,
  heightOf,
  type MeasuredComponent,
  measured,
  type PixelBox,
  widthOf,
} from './connected-components.ts';
import { type GrayPicture, grayPictureOf } from './gray-picture.ts';

// Finds lines of letters in a picture, whatever is behind them, and draws each alone: dark on white, in one size. An engine that reads
// whole pages takes leaves and branches for letters, and loses the letters in front of them.

/** A line of letters that one threshold separates from the rest of its picture. */
export interface TextLine {
  readonly box: PixelBox;
  /** The line may go on behind an end: something of the size of a letter follows, or a ground as light as its fading letters. */
  readonly isCut: boolean;
  /** Draws the line alone, dark on white, so high from the lowest to the highest pixel of its letters. */
  readonly drawn: (height: number) => GrayPicture;
}

/**
 * The rules of a line, found on 24 pictures: English, Korean, German and French titles over photographs. Steps are steps of gray, of
 * 256. `light` and `dark` are the thresholds that separate letters. A letter is `leastHeight` to `mostHeight` pixels high. Its mean
 * differs from the ring of `ringPixels` around it by `contrastSteps`, and its pixels deviate from their mean by at most
 * `deviationSteps`. A letter goes on with a line whose letters have means at most `alikeSteps` from its own. The higher of both is at
 * most `heightRatio` as high as the other, and both together `growthRatio`. They share half of their rows, and the gap between them is at
 * most `gapHeights`. A line has `leastLetters`, and is `leastRatio` as long as high.
 * A threshold that separates more than `mostLetters` shows a page or a pattern, which the reading of the page serves.
 */
export const LINE_RULE = {
  light: [110, 150, 190, 220],
  dark: [35, 65, 105],
  leastHeight: 8,
  mostHeight: 110,
  ringPixels: 3,
  contrastSteps: 45,
  deviationSteps: 28,
  alikeSteps: 30,
  heightRatio: 3,
  growthRatio: 1.4,
  gapHeights: 1.1,
  leastLetters: 4,
  mostLetters: 800,
  leastRatio: 1.5,
  mostLines: 14,
  mostThresholds: 3,
} as const;

/**
 * A line that may be cut. Within `reachHeights` behind a whole line there is nothing of the size of a letter. Strokes of its gray, at most
 * `thinHeights` wide, cover at most `strokeSquares` of its height squared there: a letter that touches another shape has more. Few pixels
 * (`alikeShare`) are as light as its letters. Or the contrast of the last two letters is at least `fadingShare` of that of the line: an outline
 * keeps it. Pixels in it that are as light as its letters and not drawn are at most `missingShare` of those that are. And no other line of its
 * gray, at most `aroundHeights` as high around it, or beginning at most `besideHeights` behind it, reaches `shorterHeights` further. A reading
 * of the page ends within so many heights of a found line, too.
 */
export const END_RULE = {
  reachHeights: 1.2,
  alikeShare: 0.12,
  fadingShare: 0.9,
  thinHeights: 0.3,
  strokeSquares: 0.06,
  shorterHeights: 0.6,
  missingShare: 0.02,
  aroundHeights: 2.5,
  besideHeights: 2,
} as const;

/**
 * Strokes of a line that are lower than a letter, found on 300 drawn lines of Korean in 15 fonts. A stroke is at most `gapHeights` beside the
 * line and at most `overHeights` above and below it. It is `leastHeights` to `mostHeights` long, and has `contrastShare` of the contrast of the
 * letters. Lines with new strokes are joined again, for so many `rounds`.
 */
export const STROKE_RULE = {
  gapHeights: 0.7,
  overHeights: 0.12,
  leastHeights: 0.2,
  mostHeights: 1.2,
  leastPixels: 8,
  contrastShare: 0.7,
  rounds: 3,
} as const;

const areaOf = (box: PixelBox): number => widthOf(box) * heightOf(box);
const contrastOf = ({ mean, around }: MeasuredComponent): number => Math.abs(mean - around);
const meanOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

const isWithin = (one: PixelBox, other: PixelBox): boolean =>
  one.left >= other.left && one.right <= other.right && one.top >= other.top && one.bottom <= other.bottom;

const hasEvenContrast = (component: MeasuredComponent): boolean =>
  contrastOf(component) >= LINE_RULE.contrastSteps && component.deviation <= LINE_RULE.deviationSteps;

/** True if a component has the size of a letter, or of a few that touch: neither a speck nor a frame nor a bar. */
function hasSizeOfLetter(component: Component): boolean {
  const [width, height] = [widthOf(component), heightOf(component)];
  if (height < LINE_RULE.leastHeight || height > LINE_RULE.mostHeight || width < 2 || width > 8 * height) return false;
  const fill = component.pixels / (width * height);
  return fill >= 0.12 && (fill <= 0.95 || width <= height);
}

/** Letters beside each other, and the least box around them. */
interface Row {
  readonly letters: readonly MeasuredComponent[];
  readonly box: PixelBox;
}

/** The gap in pixels between the parts of one line; null if they are not on one line. Parts that overlap have a gap below zero. */
function gapBetween(one: Row, other: Row): number | null {
  const heights = [heightOf(one.box), heightOf(other.box)];
  const [low, high] = [Math.min(...heights), Math.max(...heights)];
  const [before, behind] = one.box.left <= other.box.left ? [one, other] : [other, one];
  const gap = behind.box.left - before.box.right;
  const shared = Math.min(one.box.bottom, other.box.bottom) - Math.max(one.box.top, other.box.top);
  const isAlike = before.letters
    .slice(-3)
    .some((last) => behind.letters.slice(0, 3).some(({ mean }) => Math.abs(last.mean - mean) <= LINE_RULE.alikeSteps));
  const fits =
    high <= LINE_RULE.heightRatio * low &&
    shared >= low / 2 &&
    heightOf(boxAround([one.box, other.box])) <= LINE_RULE.growthRatio * high &&
    gap <= LINE_RULE.gapHeights * high;
  return fits && isAlike ? gap : null;
}

const joinedRow = (one: Row, other: Row): Row => ({
  letters: [...one.letters, ...other.letters].sort((a, b) => a.left - b.left),
  box: boxAround([one.box, other.box]),
});

/** Joins rows that are one line: the stacked strokes of a syllable begin a row each. */
function joinedRows(rows: readonly Row[]): readonly Row[] {
  for (const [at, row] of rows.entries()) {
    const other = rows.findIndex((each, behind) => behind > at && gapBetween(row, each) !== null);
    const joined = rows[other];
    if (joined !== undefined) {
      return joinedRows([
        ...rows.slice(0, at),
        joinedRow(row, joined),
        ...rows.slice(at + 1, other),
        ...rows.slice(other + 1),
      ]);
    }
  }
  return rows;
}

/** Letters in rows, each from left to right. */
function rowsOf(letters: readonly MeasuredComponent[]): readonly Row[] {
  const rows: Row[] = [];
  for (const letter of letters.toSorted((one, other) => one.left - other.left)) {
    const own: Row = { letters: [letter], box: letter };
    let nearest: { readonly at: number; readonly gap: number } | null = null;
    for (const [at, row] of rows.entries()) {
      const gap = gapBetween(row, own);
      if (gap !== null && (nearest === null || gap < nearest.gap)) nearest = { at, gap };
    }
    const row = rows[nearest?.at ?? -1];
    if (nearest === null || row === undefined) rows.push(own);
    else rows[nearest.at] = joinedRow(row, own);
  }
  return joinedRows(rows);
}

/** True if a component has the place and the size of a stroke of a row that reaches to this box. */
function isStrokeBeside(component: Component, { box: { top, bottom } }: Row, reached: PixelBox): boolean {
  const unit = bottom - top;
  const [gap, over] = [STROKE_RULE.gapHeights * unit, STROKE_RULE.overHeights * unit];
  const isNear = component.right >= reached.left - gap && component.left <= reached.right + gap;
  const isInRows = component.top >= top - over && component.bottom <= bottom + over;
  const longest = Math.max(widthOf(component), heightOf(component));
  const hasSize = longest >= STROKE_RULE.leastHeights * unit && widthOf(component) <= STROKE_RULE.mostHeights * unit;
  return isNear && isInRows && hasSize && component.pixels >= STROKE_RULE.leastPixels;
}

/** Adds the strokes beside and in a row that are lower than a letter: a syllable of Korean can have no others. */
function withStrokes(row: Row, of: DividedPicture): Row {
  const mean = meanOf(row.letters.map((letter) => letter.mean));
  const usual = meanOf(row.letters.map(contrastOf));
  const seen = new Set(row.letters.map(({ id }) => id));
  const isAlike = (part: MeasuredComponent): boolean =>
    Math.abs(part.mean - mean) <= LINE_RULE.alikeSteps &&
    contrastOf(part) >= STROKE_RULE.contrastShare * usual &&
    part.deviation <= LINE_RULE.deviationSteps;
  let grown = row;
  for (let before: Row | null = null; before !== grown; ) {
    before = grown;
    for (const component of of.components) {
      if (seen.has(component.id) || !isStrokeBeside(component, row, grown.box)) continue;
      seen.add(component.id);
      const part = measured(component, of, LINE_RULE.ringPixels);
      if (isAlike(part)) grown = joinedRow(grown, { letters: [part], box: part });
    }
  }
  return grown;
}

const isLine = ({ letters, box }: Row): boolean =>
  letters.length >= LINE_RULE.leastLetters && widthOf(box) >= LINE_RULE.leastRatio * heightOf(box);

/** The lines of letters, each from left to right, with their strokes. */
function wholeRows(letters: readonly MeasuredComponent[], of: DividedPicture): (readonly MeasuredComponent[])[] {
  let rows = rowsOf(letters);
  for (let round = 0; round < STROKE_RULE.rounds; round += 1) {
    const grown = rows.map((row) => (isLine(row) ? withStrokes(row, of) : row));
    if (grown.every((row, at) => row === rows[at])) break;
    rows = joinedRows(grown);
  }
  return rows.filter(isLine).map((row) => row.letters);
}

/** The share of the pixels from one column to another that are as light as the letters of a line. */
function alikeShare(
  { width, pixels }: GrayPicture,
  { top, bottom }: PixelBox,
  mean: number,
  columns: readonly number[],
) {
  const [from = 0, to = 0] = columns.map((column) => Math.min(width, Math.max(0, column)));
  let alike = 0;
  for (let y = top; y < bottom; y += 1) {
    for (let x = from; x < to; x += 1) {
      if (Math.abs((pixels[y * width + x] ?? 0) - mean) < LINE_RULE.alikeSteps) alike += 1;
    }
  }
  return alike / Math.max(1, (to - from) * (bottom - top));
}

/** True if a component behind an end of a row could be its next letter. */
function couldFollow(
  component: Component,
  row: readonly MeasuredComponent[],
  [from = 0, to = 0]: readonly number[],
): boolean {
  const box = boxAround(row);
  const shared = Math.min(box.bottom, component.bottom) - Math.max(box.top, component.top);
  const isBeside = component.left >= from && component.right <= to;
  return isBeside && shared >= heightOf(component) / 2 && heightOf(component) >= heightOf(box) / 2;
}

/**
 * The area of thin strokes from one column to another that are as light as the letters of a line, in squares of its height. A stroke has ground
 * on both sides, across or down.
 */
function strokesBetween(
  { width, height, pixels }: GrayPicture,
  box: PixelBox,
  mean: number,
  columns: readonly number[],
): number {
  const [from = 0, to = 0] = columns.map((column) => Math.min(width, Math.max(0, column)));
  const most = END_RULE.thinHeights * heightOf(box);
  const apartAt = (x: number, y: number): number =>
    x < 0 || x >= width || y < 0 || y >= height ? 0 : Math.abs((pixels[y * width + x] ?? 0) - mean);
  /** The pixels from one to the ground on one side of it; null if the stroke is wide, or fades into its ground. */
  const reachOf = (x: number, y: number, across: number, down: number): number | null => {
    let reached = 1;
    const apart = (more: number): number => apartAt(x + (reached + more) * across, y + (reached + more) * down);
    while (reached <= most && apart(0) <= LINE_RULE.alikeSteps) reached += 1;
    if (reached > most) return null;
    for (let more = 0; more < LINE_RULE.ringPixels; more += 1) {
      if (apart(more) >= LINE_RULE.contrastSteps) return reached;
    }
    return null;
  };
  const isThin = (x: number, y: number, across: number, down: number): boolean => {
    const before = reachOf(x, y, -across, -down);
    const behind = before === null ? null : reachOf(x, y, across, down);
    return before !== null && behind !== null && before + behind - 1 <= most;
  };
  let strokes = 0;
  for (let y = box.top; y < box.bottom; y += 1) {
    for (let x = from; x < to; x += 1) {
      if (apartAt(x, y) <= LINE_RULE.alikeSteps && (isThin(x, y, 1, 0) || isThin(x, y, 0, 1))) strokes += 1;
    }
  }
  return strokes / heightOf(box) ** 2;
}

function isCut(row: readonly MeasuredComponent[], of: DividedPicture): boolean {
  const box = boxAround(row);
  const mean = meanOf(row.map((letter) => letter.mean));
  const usual = meanOf(row.map(contrastOf));
  const reach = Math.round(END_RULE.reachHeights * heightOf(box));
  const ends = [
    { letters: row.slice(0, 2), columns: [box.left - reach, box.left] },
    { letters: row.slice(-2), columns: [box.right, box.right + reach] },
  ];
  return ends.some(
    ({ letters, columns }) =>
      of.components.some((component) => hasSizeOfLetter(component) && couldFollow(component, row, columns)) ||
      strokesBetween(of.picture, box, mean, columns) > END_RULE.strokeSquares ||
      (meanOf(letters.map(contrastOf)) < END_RULE.fadingShare * usual &&
        alikeShare(of.picture, box, mean, columns) > END_RULE.alikeShare),
  );
}

/** The components of a line in its place: its letters, and the dots, accents and signs between them. Specks in a letter are ground. */
function partsOf(row: readonly MeasuredComponent[], place: PixelBox, of: DividedPicture): ReadonlySet<number> {
  const parts = new Set(row.map(({ id }) => id));
  const [mean, usual] = [meanOf(row.map((letter) => letter.mean)), meanOf(row.map(contrastOf))];
  for (const component of of.components) {
    if (parts.has(component.id) || component.pixels < 3 || !isWithin(component, place)) continue;
    if (row.some((letter) => isWithin(component, letter) && component.pixels < letter.pixels / 4)) continue;
    const part = measured(component, of, LINE_RULE.ringPixels);
    const isAlike = Math.abs(part.mean - mean) < 2 * LINE_RULE.alikeSteps && contrastOf(part) > 0.3 * usual;
    if (isAlike && part.deviation <= LINE_RULE.deviationSteps) parts.add(component.id);
  }
  return parts;
}

/** The pixels in the box of a line that are as light as its letters and not drawn, as a share of those that are. */
function missingShare(row: readonly MeasuredComponent[], of: DividedPicture): number {
  const { picture, labels } = of;
  const box = boxAround(row);
  const parts = partsOf(row, box, of);
  const mean = meanOf(row.map((letter) => letter.mean));
  let [own, missing] = [0, 0];
  for (let y = box.top; y < box.bottom; y += 1) {
    for (let x = box.left; x < box.right; x += 1) {
      const label = labels[y * picture.width + x] ?? 0;
      if (label === 0) continue;
      if (parts.has(label)) own += 1;
      else if (Math.abs((picture.pixels[y * picture.width + x] ?? 0) - mean) <= LINE_RULE.alikeSteps) missing += 1;
    }
  }
  return missing / Math.max(1, own);
}

/** White around a drawn line, in pixels. */
const MARGIN = 12;

/** Draws a line alone: its components and their soft edges from white (the ground) to black (its letters). */
function drawnLine(row: readonly MeasuredComponent[], of: DividedPicture, height: number): GrayPicture {
  const { picture, labels } = of;
  const box = boxAround(row);
  const unit = heightOf(box);
  // Room for accents above, for descenders below, and for a sign behind the line.
  const place = {
    left: Math.max(0, box.left - Math.round(0.15 * unit)),
    top: Math.max(0, box.top - Math.round(0.3 * unit)),
    right: Math.min(picture.width, box.right + Math.round(0.45 * unit)),
    bottom: Math.min(picture.height, box.bottom + Math.round(0.25 * unit)),
  };
  const parts = partsOf(row, place, of);
  const [black, white] = [meanOf(row.map(({ mean }) => mean)), meanOf(row.map((letter) => letter.around))];
  const isPart = (x: number, y: number): boolean =>
    x >= 0 && y >= 0 && x < picture.width && y < picture.height && parts.has(labels[y * picture.width + x] ?? 0);
  const isNear = (x: number, y: number): boolean =>
    [-1, 0, 1].some((down) => isPart(x - 1, y + down) || isPart(x, y + down) || isPart(x + 1, y + down));
  const alone = grayPictureOf(widthOf(place), heightOf(place), Buffer.alloc(areaOf(place), 255));
  for (let y = 0; y < alone.height; y += 1) {
    for (let x = 0; x < alone.width; x += 1) {
      const [column, line] = [place.left + x, place.top + y];
      if (!isNear(column, line)) continue;
      const share = ((picture.pixels[line * picture.width + column] ?? 0) - white) / (black - white);
      alone.pixels[y * alone.width + x] = Math.round(255 - 255 * Math.min(1, Math.max(0, share)));
    }
  }
  return scaled(alone, height / unit);
}

/** A picture at another size, with a white margin: the mean of the pixels under each new one, or between the nearest if enlarged. */
function scaled({ width, height, pixels }: GrayPicture, scale: number): GrayPicture {
  const [columns, rows] = [Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale))];
  const [wide, high] = [columns + 2 * MARGIN, rows + 2 * MARGIN];
  const drawn = Buffer.alloc(wide * high, 255);
  const weightsAt = (at: number, size: number): [number, number][] => {
    const [from, to] = [at / scale, (at + 1) / scale];
    if (scale < 1) {
      const end = Math.min(size, Math.ceil(to));
      return Array.from({ length: end - Math.floor(from) }, (_, step) => [Math.floor(from) + step, 1]);
    }
    const middle = Math.min(size - 1, Math.max(0, (from + to) / 2 - 0.5));
    const first = Math.floor(middle);
    return [
      [first, 1 - (middle - first)],
      [Math.min(size - 1, first + 1), middle - first],
    ];
  };
  const acrossAt = Array.from({ length: columns }, (_, x) => weightsAt(x, width));
  for (let y = 0; y < rows; y += 1) {
    const down = weightsAt(y, height);
    for (let x = 0; x < columns; x += 1) {
      let [sum, weight] = [0, 0];
      for (const [line, much] of down) {
        for (const [column, more] of acrossAt[x] ?? []) {
          sum += much * more * (pixels[line * width + column] ?? 255);
          weight += much * more;
        }
      }
      drawn[(y + MARGIN) * wide + x + MARGIN] = Math.round(sum / weight);
    }
  }
  return grayPictureOf(wide, high, drawn);
}

/**
 * How much a row looks like a line of letters: it is long, of one gray and of high contrast. The threshold is halfway between letters
 * and ground. One close to the letters takes their thin parts away.
 */
function scoreOf(row: readonly MeasuredComponent[], threshold: number): number {
  const [mean, ground] = [meanOf(row.map((letter) => letter.mean)), meanOf(row.map((letter) => letter.around))];
  const spread = Math.sqrt(meanOf(row.map((letter) => (letter.mean - mean) ** 2)));
  const contrast = Math.abs(mean - ground);
  const halfway = 1 - Math.abs(threshold - (mean + ground) / 2) / contrast;
  const box = boxAround(row);
  return ((widthOf(box) / heightOf(box)) * Math.min(120, contrast) * halfway) / (10 + spread);
}

/** A line as it was found, with the mean gray of its letters. */
interface FoundLine {
  readonly line: TextLine;
  readonly score: number;
  readonly mean: number;
}

function linesAt(picture: GrayPicture, threshold: number, isLight: boolean): FoundLine[] {
  const of = divided(picture, threshold, isLight);
  const letters = of.components
    .filter(hasSizeOfLetter)
    .map((component) => measured(component, of, LINE_RULE.ringPixels));
  const even = letters.filter(hasEvenContrast);
  if (even.length > LINE_RULE.mostLetters) return [];
  return wholeRows(even, of).map((row) => ({
    score: scoreOf(row, threshold),
    mean: meanOf(row.map((letter) => letter.mean)),
    line: {
      box: boxAround(row),
      isCut: isCut(row, of) || missingShare(row, of) > END_RULE.missingShare,
      drawn: (height) => drawnLine(row, of, height),
    },
  }));
}

/** How much of the smaller one of two boxes both cover, from 0 to 1. */
function sharedOf(one: PixelBox, other: PixelBox): number {
  const width = Math.min(one.right, other.right) - Math.max(one.left, other.left);
  const height = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
  return width <= 0 || height <= 0 ? 0 : (width * height) / Math.min(areaOf(one), areaOf(other));
}

/** True if two boxes hold one line: they share most of the smaller one, and are about as high. */
function areOneLine(one: PixelBox, other: PixelBox): boolean {
  const heights = [heightOf(one), heightOf(other)];
  return sharedOf(one, other) > 0.5 && Math.max(...heights) <= LINE_RULE.growthRatio * Math.min(...heights);
}

/** True if another line of the same gray and rows shows that this one is a part: it reaches further, or begins close behind. */
function isPartBeside({ line: { box }, mean }: FoundLine, other: FoundLine): boolean {
  const there = other.line.box;
  const [high, ratio] = [heightOf(box), heightOf(there) / heightOf(box)];
  const gap = Math.max(box.left, there.left) - Math.min(box.right, there.right);
  const shared = Math.min(box.bottom, there.bottom) - Math.max(box.top, there.top);
  const most = gap < 0 ? END_RULE.aroundHeights : LINE_RULE.growthRatio;
  return (
    Math.abs(mean - other.mean) <= 2 * LINE_RULE.alikeSteps &&
    Math.max(box.left - there.left, there.right - box.right) > END_RULE.shorterHeights * high &&
    gap <= END_RULE.besideHeights * high &&
    shared >= Math.min(high, heightOf(there)) / 2 &&
    ratio <= most &&
    ratio >= 1 / LINE_RULE.growthRatio
  );
}

/**
 * The places of a picture that look like lines of letters, the clearest first. A place has the one to three thresholds at which
 * its line looks best, also the best first.
 */
export function linesIn(picture: GrayPicture): TextLine[][] {
  const found: FoundLine[] = [];
  for (const [thresholds, isLight] of [
    [LINE_RULE.light, true],
    [LINE_RULE.dark, false],
  ] as const) {
    for (const threshold of thresholds) found.push(...linesAt(picture, threshold, isLight));
  }
  const best = found.sort((one, other) => other.score - one.score).slice(0, LINE_RULE.mostLines);
  const places: FoundLine[][] = [];
  for (const one of best) {
    const place = places.find(([first]) => first !== undefined && areOneLine(first.line.box, one.line.box));
    if (place === undefined) places.push([one]);
    else place.push(one);
  }
  return places.map((place) =>
    place.slice(0, LINE_RULE.mostThresholds).map((one) => {
      return { ...one.line, isCut: one.line.isCut || best.some((other) => isPartBeside(one, other)) };
    }),
  );
}
