import { cutText, labelLine } from '../../contract/base/grammar.ts';
import {
  type EvidenceArtifact,
  maximumScreenTextCharacters,
  type ScreenBox,
} from '../../contract/evidence/evidence.ts';
import type { ReadText } from '../../contract/screentext.ts';
import { type GrayPicture, grayPicture } from './gray-picture.ts';
import { END_RULE, LINE_RULE, linesIn, type PixelBox, type TextLine } from './line-finder.ts';
import { boxesOverlap, joinedReadings, lettersIn, lookedAgain, MOST_ROUNDS, STRIP, SURE_MILLI } from './second-look.ts';

// Reads one picture, in the process of the engine: a picture takes seconds, in which the host answers calls.

/** A place in pixels, as the engine states it. */
interface EngineBox {
  readonly x0: number;
  readonly y0: number;
  readonly x1: number;
  readonly y1: number;
}

/** A line that the engine read; `confidence` from 0 to 100. */
export interface EngineLine {
  readonly bbox: EngineBox;
  readonly confidence: number;
  readonly words: readonly { readonly text: string; readonly bbox: EngineBox }[];
}

/** The lines of a picture (PGM), by settings of the engine under its own names. Rejects if the engine fails over this picture. */
export type TextEngine = (
  pgm: Uint8Array,
  settings: Readonly<Record<string, string>>,
) => Promise<readonly EngineLine[]>;

/** The engine failed over a picture. It reads the next one. */
export class EngineFailure extends Error {
  constructor(cause: unknown) {
    super(String(cause), { cause });
    this.name = 'EngineFailure';
  }
}

/**
 * Sparse text in no order, as on screens. One threshold for all of a picture (Otsu) reads light letters on dark ground. One for each
 * place (Sauvola) also reads text on a ground that changes its light. On the sample, and on drawn titles in eight fonts, each reads
 * what the other misses. The second one reads a page if a line that was found on it is in doubt.
 */
const MODE = '11';
const THRESHOLDS = ['0', '2'] as const;

/** One line alone, which is how a surer reading is looked at again. */
const LINE_MODE = '7';

/** A page of more lines is full of other shapes, which take the engine seconds. */
const MOST_LINES = 30;

/** The heights at which a found line is drawn, one after the other, until two readings agree. The engine reads letters of 30 to 60 pixels best. */
const DRAWN_HEIGHTS = [40, 48, 56] as const;

/** Below this confidence in its first reading a found line is leaves or branches. */
const WORTH_MILLI = 700;

/**
 * The engine sets each syllable of Korean and each sign of Chinese and Japanese apart. If the gap between two of them is narrower
 * than this share of their height, no space is meant.
 */
const SIGN_GAP = 0.3;

/** Everything that the reading of a picture is set to. */
export const READING_PARAMETERS: EvidenceArtifact['parameters'] = {
  tessedit_pageseg_mode: MODE,
  thresholding_method: THRESHOLDS.join(', '),
  secondReadingUpToLines: MOST_LINES,
  lineThresholdsLight: LINE_RULE.light.join(', '),
  lineThresholdsDark: LINE_RULE.dark.join(', '),
  lineContrastSteps: LINE_RULE.contrastSteps,
  lineDeviationSteps: LINE_RULE.deviationSteps,
  lineAlikeSteps: LINE_RULE.alikeSteps,
  lineLeastHeight: LINE_RULE.leastHeight,
  lineMostHeight: LINE_RULE.mostHeight,
  lineLeastLetters: LINE_RULE.leastLetters,
  lineMostLetters: LINE_RULE.mostLetters,
  lineGapHeights: LINE_RULE.gapHeights,
  linesAtMost: LINE_RULE.mostLines,
  lineEndAlikeShare: END_RULE.alikeShare,
  lineEndFadingShare: END_RULE.fadingShare,
  lineDrawnHeights: DRAWN_HEIGHTS.join(', '),
  lineWorthMilli: WORTH_MILLI,
  longerReadingFromMilli: SURE_MILLI,
  secondLookFromMilli: SURE_MILLI,
  secondLookMode: LINE_MODE,
  secondLookRounds: MOST_ROUNDS,
  secondLookEdgeHeights: STRIP.edgeHeights,
  secondLookNearHeights: STRIP.nearHeights,
  secondLookWideHeights: STRIP.wideHeights,
  secondLookMoreLetters: STRIP.moreLetters,
  secondLookLeastPixels: STRIP.leastPixels,
  joinedSignGap: SIGN_GAP,
};

const sign = '[\\p{Script=Hangul}\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}]';
const endsInSign = new RegExp(`${sign}$`, 'u');
const beginsWithSign = new RegExp(`^${sign}`, 'u');

type Word = EngineLine['words'][number];

function isOneWord(before: Word, word: Word): boolean {
  if (!endsInSign.test(before.text) || !beginsWithSign.test(word.text)) return false;
  const height = Math.max(before.bbox.y1 - before.bbox.y0, word.bbox.y1 - word.bbox.y0);
  return word.bbox.x0 - before.bbox.x1 < SIGN_GAP * height;
}

function textOf(words: readonly Word[]): string {
  let text = '';
  for (const [at, word] of words.entries()) {
    const before = words[at - 1];
    text += before === undefined || isOneWord(before, word) ? word.text : ` ${word.text}`;
  }
  return cutText(labelLine(text), maximumScreenTextCharacters);
}

const milliOf = (value: number, whole: number): number =>
  Math.min(1000, Math.max(0, Math.round((1000 * value) / Math.max(1, whole))));

/** A place in pixels of a picture of this size, in thousandths of it. */
const placeIn = ({ left, top, right, bottom }: PixelBox, { width, height }: GrayPicture): ScreenBox => ({
  leftMilli: milliOf(left, width),
  topMilli: milliOf(top, height),
  rightMilli: milliOf(right, width),
  bottomMilli: milliOf(bottom, height),
});

/** The lines that the engine read in a picture, from the top down. Those without a letter are left out. */
const readLines = (lines: readonly EngineLine[], picture: GrayPicture): ReadText[] =>
  lines
    .flatMap(({ words, bbox: { x0: left, y0: top, x1: right, y1: bottom }, confidence }) => {
      const text = textOf(words);
      if (text === '') return [];
      const box = placeIn({ left, top, right, bottom }, picture);
      return [{ text, box, confidenceMilli: Math.round(10 * confidence) }];
    })
    .sort((one, other) => one.box.topMilli - other.box.topMilli || one.box.leftMilli - other.box.leftMilli);

/**
 * Reads a found line until two readings have the same letters: at up to three thresholds, or at three heights if only one separates it.
 * If none agree, or if the line may be cut, the surest one is marked. Null if the engine sees no letters.
 */
async function readPlace(
  place: readonly TextLine[],
  look: (line: GrayPicture) => Promise<readonly ReadText[]>,
): Promise<ReadText | null> {
  const seen: { readonly reading: ReadText; readonly isCut: boolean }[] = [];
  for (const [at, height] of DRAWN_HEIGHTS.entries()) {
    const line = place.length === 1 ? place[0] : place[at];
    const [reading, ...more] = line === undefined ? [] : await look(line.drawn(height));
    if (line === undefined || reading === undefined || reading.confidenceMilli < WORTH_MILLI) break;
    if (more.length > 0) continue;
    const same = seen.find((each) => lettersIn(each.reading.text) === lettersIn(reading.text));
    seen.push({ reading, isCut: line.isCut });
    if (same === undefined || (same.isCut && line.isCut)) continue;
    const isSurer = same.reading.confidenceMilli > reading.confidenceMilli;
    return { ...(isSurer ? same.reading : reading), secondLook: 'agrees' };
  }
  const [surest] = seen.map(({ reading }) => reading).sort((one, other) => other.confidenceMilli - one.confidenceMilli);
  return surest === undefined ? null : { ...surest, secondLook: 'disagrees' };
}

/**
 * Every line that the engine sees in a picture (PGM), however sure it is; the surer ones were looked at again. Rejects with
 * `EngineFailure` if the engine fails over this picture in every way, and with `DetectionFailure` on another form.
 */
export async function textsIn(pgm: Buffer, engine: TextEngine): Promise<ReadText[]> {
  const picture = grayPicture(pgm);
  /** A way in which the engine cannot read a picture has seen nothing there; the other ways count alone. */
  const triedBy = (mode: string, threshold: string, of: GrayPicture): Promise<ReadText[] | EngineFailure> =>
    engine(of.pgm, { tessedit_pageseg_mode: mode, thresholding_method: threshold }).then(
      (lines) => readLines(lines, of),
      (error: unknown) => new EngineFailure(error),
    );
  const lookBy = (threshold: string) => async (strip: GrayPicture) => {
    const seen = await triedBy(LINE_MODE, threshold, strip);
    return seen instanceof EngineFailure ? [] : seen;
  };
  const page = await triedBy(MODE, THRESHOLDS[0], picture);
  const found: ReadText[] = [];
  for (const place of linesIn(picture)) {
    const read = await readPlace(place, lookBy(THRESHOLDS[0]));
    const [line] = place;
    if (read !== null && line !== undefined) found.push({ ...read, box: placeIn(line.box, picture) });
  }
  if (page instanceof EngineFailure && found.length === 0) throw page;
  const agreed = found.filter(({ secondLook }) => secondLook === 'agrees');
  const doubted = found.filter((line) => !agreed.includes(line));
  const pages = [page instanceof EngineFailure ? [] : page];
  if (doubted.length > 0 && (pages[0]?.length ?? 0) <= MOST_LINES) {
    const second = await triedBy(MODE, THRESHOLDS[1], picture);
    pages.push(second instanceof EngineFailure ? [] : second);
  }
  const joined = joinedReadings(agreed, pages.flat());
  // A found line in doubt counts only in a place that the page leaves empty.
  const free = doubted.filter((line) => !joined.some(({ box }) => boxesOverlap(box, line.box)));
  const readings = joinedReadings(joined, free);
  const looks = THRESHOLDS.map(lookBy);
  const looked: ReadText[] = [];
  for (const reading of readings) {
    const others = readings.filter((other) => other !== reading);
    const isDue = reading.confidenceMilli >= SURE_MILLI && reading.secondLook === undefined;
    looked.push(isDue ? await lookedAgain(reading, { picture, others }, looks) : reading);
  }
  return looked;
}
