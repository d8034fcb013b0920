import type { ScreenBox } from '../../../contract/evidence/evidence.ts';
import type { ReadText } from '../../../contract/screentext.ts';
import { type GrayPicture, grayPictureOf } from './gray-picture.ts';

/** From this confidence on a longer reading of a place is better than a shorter one that is a little more sure of itself. */
export const SURE_MILLI = 850;

const letters = (text: string): number => text.match(/[\p{L}\p{N}]/gu)?.length ?? 0;

const weightOf = ({ text, confidenceMilli }: ReadText): number =>
  letters(text) * confidenceMilli * (confidenceMilli >= SURE_MILLI ? 2 : 1);

/** True if two places share a part. */
export const boxesOverlap = (one: ScreenBox, other: ScreenBox): boolean =>
  one.leftMilli < other.rightMilli &&
  other.leftMilli < one.rightMilli &&
  one.topMilli < other.bottomMilli &&
  other.topMilli < one.bottomMilli;

/**
 * Joins the readings of one picture: its lines that were read alone, and the page. Of readings that share a place the one with the most letters of which it is
 * sure stays, the first of equal ones. From the top of the picture down.
 */
export function joinedReadings(first: readonly ReadText[], second: readonly ReadText[]): ReadText[] {
  const ordered = [...first, ...second].sort((one, other) => weightOf(other) - weightOf(one));
  const kept: ReadText[] = [];
  for (const reading of ordered) {
    if (!kept.some(({ box }) => boxesOverlap(box, reading.box))) kept.push(reading);
  }
  return kept.sort((one, other) => one.box.topMilli - other.box.topMilli || one.box.leftMilli - other.box.leftMilli);
}

/**
 * The margins of a strip around its line, in heights of the line. Up and down it ends before the next line, and to the sides
 * either in the next letter or after the next word. A look at the wider strip counts from so many more letters on: less is the
 * edge of a box, or a pattern beside it. Found on the first twelve films of the pack. A strip with fewer pixels on a side holds
 * no readable letter. Below six the engine fails over it (the window of Sauvola's threshold does not fit).
 */
export const STRIP = { edgeHeights: 0.25, nearHeights: 0.5, wideHeights: 5, moreLetters: 3, leastPixels: 8 } as const;

/** One line alone, cut out of its picture, and its place in thousandths of the picture. */
interface Strip {
  readonly picture: GrayPicture;
  readonly box: ScreenBox;
}

const sharesRows = (one: ScreenBox, other: ScreenBox): boolean =>
  one.topMilli < other.bottomMilli && other.topMilli < one.bottomMilli;

/** The picture of a line, and the other readings of it. */
interface Surroundings {
  readonly picture: GrayPicture;
  readonly others: readonly ReadText[];
}

/** The place of a strip: beside the line up to the next reading on its rows, which is a text of its own. */
function placeOf({ box }: ReadText, { picture: { width, height }, others }: Surroundings, heights: number): ScreenBox {
  const rows = box.bottomMilli - box.topMilli;
  const side = (heights * rows * height) / width;
  const edge = STRIP.edgeHeights * rows;
  const beside = others.map((other) => other.box).filter((other) => sharesRows(box, other));
  const before = beside.filter(({ rightMilli }) => rightMilli <= box.leftMilli).map(({ rightMilli }) => rightMilli);
  const behind = beside.filter(({ leftMilli }) => leftMilli >= box.rightMilli).map(({ leftMilli }) => leftMilli);
  return {
    leftMilli: Math.round(Math.max(0, box.leftMilli - side, ...before)),
    topMilli: Math.round(Math.max(0, box.topMilli - edge)),
    rightMilli: Math.round(Math.min(1000, box.rightMilli + side, ...behind)),
    bottomMilli: Math.round(Math.min(1000, box.bottomMilli + edge)),
  };
}

/**
 * Cuts the place of one reading out of its picture. The margin at its sides is so many heights, and ends at the other readings.
 * Null if the rest has fewer than `STRIP.leastPixels` on a side.
 */
export function stripOf(reading: ReadText, around: Surroundings, heights: number): Strip | null {
  const { picture } = around;
  const box = placeOf(reading, around, heights);
  const [left, right] = [box.leftMilli, box.rightMilli].map((milli) => Math.round((milli * picture.width) / 1000));
  const [top, bottom] = [box.topMilli, box.bottomMilli].map((milli) => Math.round((milli * picture.height) / 1000));
  if (left === undefined || right === undefined || top === undefined || bottom === undefined) return null;
  if (right - left < STRIP.leastPixels || bottom - top < STRIP.leastPixels) return null;
  const rows = Array.from({ length: bottom - top }, (_, row) => {
    const start = (top + row) * picture.width;
    return picture.pixels.subarray(start + left, start + right);
  });
  return { picture: grayPictureOf(right - left, bottom - top, Buffer.concat(rows)), box };
}

/** The letters and digits of a text, in one form. */
export const lettersIn = (text: string): string => (text.normalize('NFKC').match(/[\p{L}\p{N}]/gu) ?? []).join('');

const inPicture = (within: ScreenBox, { box, ...text }: ReadText): ReadText => {
  const [width, height] = [within.rightMilli - within.leftMilli, within.bottomMilli - within.topMilli];
  return {
    ...text,
    box: {
      leftMilli: within.leftMilli + Math.round((box.leftMilli * width) / 1000),
      topMilli: within.topMilli + Math.round((box.topMilli * height) / 1000),
      rightMilli: within.leftMilli + Math.round((box.rightMilli * width) / 1000),
      bottomMilli: within.topMilli + Math.round((box.bottomMilli * height) / 1000),
    },
  };
};

/** A line grows with every round in which a look sees more of it; a text that grows for longer cannot be a line. */
export const MOST_ROUNDS = 4;

type Look = (strip: GrayPicture) => Promise<readonly ReadText[]>;

/** The readings of a strip, each as one line of the whole picture. */
async function seenAlone(strip: Strip | null, looks: readonly Look[]): Promise<ReadText[]> {
  if (strip === null) return [];
  const seen: ReadText[] = [];
  for (const look of looks) {
    const [only, ...more] = await look(strip.picture);
    if (only !== undefined && more.length === 0) seen.push(inPicture(strip.box, only));
  }
  return seen;
}

/** The longest of these readings that is sure of so many more letters, with all those of the line in it. */
function wholeOf(line: ReadText, seen: readonly ReadText[], more: number): ReadText | undefined {
  const letters = lettersIn(line.text);
  const isWhole = ({ text, confidenceMilli }: ReadText): boolean => {
    const found = lettersIn(text);
    return confidenceMilli >= SURE_MILLI && found.length >= letters.length + more && found.includes(letters);
  };
  return seen.filter(isWhole).sort((one, other) => other.text.length - one.text.length)[0];
}

/**
 * Reads one line again, cut out of its picture, with each of the `looks`. It agrees if a look reads the same letters and digits,
 * and none at a wider strip is sure of more. A look that is sure of more, with those letters in it, sees a cut-off part: its text
 * is taken and read again in turn. A line with a different second reading is marked so, and not dropped.
 */
export async function lookedAgain(reading: ReadText, around: Surroundings, looks: readonly Look[]): Promise<ReadText> {
  let line = reading;
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const near = await seenAlone(stripOf(line, around, STRIP.nearHeights), looks);
    const letters = lettersIn(line.text);
    const isSame = near.some(({ text }) => lettersIn(text) === letters);
    const wide = isSame ? await seenAlone(stripOf(line, around, STRIP.wideHeights), looks) : [];
    const whole = isSame ? wholeOf(line, wide, STRIP.moreLetters) : wholeOf(line, near, 1);
    if (whole === undefined) return { ...line, secondLook: isSame ? 'agrees' : 'disagrees' };
    line = whole;
  }
  return { ...line, secondLook: 'disagrees' };
}
