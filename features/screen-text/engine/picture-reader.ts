import { cutText, labelLine } from '../../../contract/base/grammar.ts';
import {
  type EvidenceArtifact,
  maximumScreenTextCharacters,
  type ScreenBox,
} from '../../../contract/evidence/evidence.ts';
import type { ReadText } from '../../../contract/screentext.ts';
import { boxAround, type PixelBox } from './connected-components.ts';
import { type GrayPicture, grayPicture } from './gray-picture.ts';
import { END_RULE, LINE_RULE, linesIn, STROKE_RULE, type TextLine } from './line-finder.ts';
import { boxesOverlap, joinedReadings, lettersIn, lookedAgain, MOST_ROUNDS, STRIP, SURE_MILLI } from './second-look.ts';
import { inkColumns, SPACE_RULE, spacesBehind } from './syllable-spaces.ts';

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

/** Two readings of a found line agree from this confidence of the surer one on; if they are of one threshold, from the second. */
const AGREED_MILLI = 930;
const SAME_LINE_MILLI = 950;

/** In thousandths of the picture: a reading of the page that reaches further beyond a line that may be cut has more of it. */
const BEYOND_MILLI = 20;

/** A cut line counts only against a reading of at most so many times its height. One of Korean can be half of its syllables. */
const CUT_HEIGHTS = 1.5;

/** The engine reads a drawn line up to its ends: what is left out is a part of a letter, in heights of the line. */
const UNREAD_HEIGHTS = 0.4;

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
  lineEndThinHeights: END_RULE.thinHeights,
  lineEndStrokeSquares: END_RULE.strokeSquares,
  lineEndShorterHeights: END_RULE.shorterHeights,
  lineUnreadHeights: UNREAD_HEIGHTS,
  lineMissingShare: END_RULE.missingShare,
  lineAroundHeights: END_RULE.aroundHeights,
  lineBesideHeights: END_RULE.besideHeights,
  lineStrokeGapHeights: STROKE_RULE.gapHeights,
  lineStrokeLeastHeights: STROKE_RULE.leastHeights,
  lineStrokeContrastShare: STROKE_RULE.contrastShare,
  lineDrawnHeights: DRAWN_HEIGHTS.join(', '),
  lineWorthMilli: WORTH_MILLI,
  lineAgreedMilli: AGREED_MILLI,
  lineAgreedOfOneMilli: SAME_LINE_MILLI,
  pageBeyondMilli: BEYOND_MILLI,
  pageCutHeights: CUT_HEIGHTS,
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
  syllableMostWidth: SPACE_RULE.mostWidth,
  syllableStepShare: SPACE_RULE.stepShare,
  syllableMostStep: SPACE_RULE.mostStep,
  spaceFromSteps: SPACE_RULE.spaceSteps,
};

/** The most confidence, from 0 to 100, in a line whose pixels have more at its ends, or another number of Korean syllables. */
const MOST_IN_DOUBT = 84;

const sign = '[\\p{Script=Hangul}\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}]';
const endsInSign = new RegExp(`${sign}$`, 'u');
const beginsWithSign = new RegExp(`^${sign}`, 'u');
const isSyllables = (text: string): boolean => /^\p{Script=Hangul}+$/u.test(text);

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

/** Words of syllables beside each other as one, with the spaces that the pixels of their line have. Null if these have other syllables. */
function spacedWord(
  words: readonly Word[],
  line: GrayPicture,
  [left, right]: readonly [number, number],
  height: number,
): Word | null {
  const [first] = words;
  if (first === undefined) return null;
  const syllables = words.flatMap(({ text }) => [...text]);
  const spaces = spacesBehind(line, { left, right }, height, syllables.length);
  if (spaces === null) return null;
  return { ...first, text: syllables.map((syllable, at) => (spaces[at] ? `${syllable} ` : syllable)).join('') };
}

/** The words of a line that is drawn alone: those of Korean as its pixels divide them. Null if these have other syllables. */
function dividedWords(words: readonly Word[], line: GrayPicture, height: number): Word[] | null {
  const divided: Word[] = [];
  for (let at = 0; at < words.length; ) {
    const end = words.findIndex(({ text }, behind) => behind >= at && !isSyllables(text));
    const behind = end === -1 ? words.length : end;
    const [before, next] = [words[at - 1], words[behind]];
    if (behind > at) {
      const columns = [before?.bbox.x1 ?? 0, next?.bbox.x0 ?? line.width] as const;
      const word = spacedWord(words.slice(at, behind), line, columns, height);
      if (word === null) return null;
      divided.push({ ...word, bbox: { ...word.bbox, x1: words[behind - 1]?.bbox.x1 ?? word.bbox.x1 } });
    }
    if (next !== undefined) divided.push(next);
    at = behind + 1;
  }
  return divided;
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

/** A found line as the engine read it, drawn in one way. */
interface LineReading {
  readonly line: TextLine;
  readonly text: string;
  readonly confidenceMilli: number;
}

/**
 * The surest of the readings that agree: two have the same letters. Two of one threshold can miss the same stroke, so the engine must be
 * surer of these.
 */
function agreedOf(seen: readonly LineReading[]): LineReading | null {
  const ordered = seen.toSorted((one, other) => other.confidenceMilli - one.confidenceMilli);
  for (const [at, reading] of ordered.entries()) {
    const same = ordered.slice(at + 1).filter(({ text }) => lettersIn(text) === lettersIn(reading.text));
    const isTwice = same.some(({ line }) => line !== reading.line);
    if (same.length > 0 && reading.confidenceMilli >= (isTwice ? AGREED_MILLI : SAME_LINE_MILLI)) return reading;
  }
  return null;
}

/** The columns of a drawn line before or behind all words that the engine read. */
function unreadColumns(words: readonly Word[], drawn: GrayPicture): number {
  const { left, right } = inkColumns(drawn);
  const before = Math.min(...words.map(({ bbox }) => bbox.x0)) - left;
  return Math.max(before, right - Math.max(...words.map(({ bbox }) => bbox.x1)));
}

/** Reads a line alone, drawn at this height. Null if the engine sees no letters, or more than a line. */
async function readAlone(engine: TextEngine, line: TextLine, height: number): Promise<LineReading | null> {
  const drawn = line.drawn(height);
  const settings = { tessedit_pageseg_mode: LINE_MODE, thresholding_method: THRESHOLDS[0] };
  const [only, ...more] = await engine(drawn.pgm, settings).catch((): readonly EngineLine[] => []);
  if (only === undefined || more.length > 0) return null;
  const words = dividedWords(only.words, drawn, height);
  const text = textOf(words ?? only.words);
  const isInDoubt = words === null || unreadColumns(only.words, drawn) > UNREAD_HEIGHTS * height;
  const confidence = isInDoubt ? Math.min(only.confidence, MOST_IN_DOUBT) : only.confidence;
  return text === '' ? null : { line, text, confidenceMilli: Math.round(10 * confidence) };
}

/** The ways in which a place is drawn, in turn: each whole line at one height, and then each at the next one. */
function waysOf(place: readonly TextLine[]): { readonly line: TextLine; readonly height: number }[] {
  const whole = place.filter(({ isCut }) => !isCut);
  // A line that may be cut is in doubt, whatever a second reading has.
  if (whole.length === 0) return place.slice(0, 1).map((line) => ({ line, height: DRAWN_HEIGHTS[0] }));
  const rounds = DRAWN_HEIGHTS.map((_, round) =>
    whole.map((line, at) => ({ line, height: DRAWN_HEIGHTS[(at + round) % DRAWN_HEIGHTS.length] ?? DRAWN_HEIGHTS[0] })),
  );
  return (whole.length === 1 ? rounds : rounds.slice(0, 2)).flat();
}

/**
 * Reads a found line until two readings agree: at up to three thresholds, and then at another height. If none agree, or if the line may be
 * cut, the surest one is marked. Null if the engine sees no letters.
 */
async function readPlace(place: readonly TextLine[], engine: TextEngine): Promise<Omit<ReadText, 'box'> | null> {
  const seen: LineReading[] = [];
  for (const [at, { line, height }] of waysOf(place).entries()) {
    // Two looks at leaves are enough.
    if (at >= 2 && seen.length === 0) break;
    const reading = await readAlone(engine, line, height);
    if (reading === null || reading.confidenceMilli < WORTH_MILLI) continue;
    seen.push(reading);
    const agreed = agreedOf(seen);
    if (agreed !== null) return { text: agreed.text, confidenceMilli: agreed.confidenceMilli, secondLook: 'agrees' };
  }
  const [surest] = seen.toSorted((one, other) => other.confidenceMilli - one.confidenceMilli);
  if (surest === undefined) return null;
  return { text: surest.text, confidenceMilli: surest.confidenceMilli, secondLook: 'disagrees' };
}

/** True if two readings of one place have the same letters. */
const isSameReading = (one: ReadText, other: ReadText): boolean =>
  boxesOverlap(one.box, other.box) && lettersIn(one.text) === lettersIn(other.text);

/** The lines that were found in a picture, by place, and their readings. */
interface FoundLines {
  readonly picture: GrayPicture;
  readonly places: readonly (readonly TextLine[])[];
  readonly found: readonly ReadText[];
}

/**
 * True if a reading does not end where its line ends. The clearest line of a place goes on behind it. Or that line is whole, ends before the
 * reading and has other letters. Or all lines of the place may be cut, and the reading does not go on behind them.
 */
function endsElsewhere(
  reading: ReadText,
  place: readonly TextLine[],
  { picture, found: readings }: FoundLines,
): boolean {
  const { box } = reading;
  const around = placeIn(boxAround(place.map((line) => line.box)), picture);
  const [clearest] = place;
  if (clearest === undefined || !boxesOverlap(box, around)) return false;
  const line = placeIn(clearest.box, picture);
  const [read, found] = [box, line].map(({ topMilli, bottomMilli }) => bottomMilli - topMilli) as [number, number];
  const rows = Math.min(box.bottomMilli, line.bottomMilli) - Math.max(box.topMilli, line.topMilli);
  // The reading can have a little of what is above and below its line.
  const isOneLine =
    rows >= Math.min(read, found) / 2 && found <= LINE_RULE.growthRatio * read && read <= LINE_RULE.heightRatio * found;
  if (!isOneLine) return false;
  const beyond = Math.max(around.leftMilli - box.leftMilli, box.rightMilli - around.rightMilli);
  const endsAtCut = place.every(({ isCut }) => isCut) && beyond <= BEYOND_MILLI;
  if (endsAtCut && read <= CUT_HEIGHTS * found) return true;
  const most = (END_RULE.shorterHeights * found * picture.height) / picture.width;
  const shorter = Math.max(box.leftMilli - line.leftMilli, line.rightMilli - box.rightMilli);
  const longer = Math.max(line.leftMilli - box.leftMilli, box.rightMilli - line.rightMilli);
  return shorter > most || (longer > most && !clearest.isCut && !readings.some((one) => isSameReading(one, reading)));
}

const SPACED_SYLLABLES = /\p{Script=Hangul}\s+\p{Script=Hangul}/u;

/** The text of a reading of the page with the spaces that the pixels of a whole line in its place have. Null if no line has them. */
function spacedAsDrawn({ text, box }: ReadText, { picture, places }: FoundLines): string | null {
  const [height] = DRAWN_HEIGHTS;
  const syllables = [...text.replaceAll(/\s/gu, '')];
  for (const line of places.flat()) {
    const place = placeIn(line.box, picture);
    const apart = Math.max(Math.abs(place.leftMilli - box.leftMilli), Math.abs(place.rightMilli - box.rightMilli));
    if (line.isCut || !boxesOverlap(place, box) || apart > BEYOND_MILLI || !isSyllables(syllables.join(''))) continue;
    const drawn = line.drawn(height);
    const spaces = spacesBehind(drawn, { left: 0, right: drawn.width }, height, syllables.length);
    if (spaces !== null) return syllables.map((syllable, at) => (spaces[at] ? `${syllable} ` : syllable)).join('');
  }
  return null;
}

/** A reading of the page after its second look. It is in doubt if a found line has other ends, or if its Korean spaces are the engine's. */
function judgedOnPage(reading: ReadText, lines: FoundLines): ReadText {
  const isOther = lines.places.some((place) => endsElsewhere(reading, place, lines));
  const text = spacedAsDrawn(reading, lines);
  const isUnsure = text === null && SPACED_SYLLABLES.test(reading.text);
  return isOther || isUnsure ? { ...reading, secondLook: 'disagrees' } : { ...reading, text: text ?? reading.text };
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
  const places = linesIn(picture);
  for (const place of places) {
    const read = await readPlace(place, engine);
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
  // A line that was read alone has its spaces from its pixels.
  const others = pages.flat().filter((reading) => !agreed.some((line) => isSameReading(line, reading)));
  const joined = joinedReadings(agreed, others);
  // A found line in doubt counts only in a place that the page leaves empty.
  const free = doubted.filter((line) => !joined.some(({ box }) => boxesOverlap(box, line.box)));
  const readings = joinedReadings(joined, free);
  const looks = THRESHOLDS.map(lookBy);
  const looked: ReadText[] = [];
  for (const reading of readings) {
    const beside = readings.filter((other) => other !== reading);
    const isDue = reading.confidenceMilli >= SURE_MILLI && reading.secondLook === undefined;
    const again = isDue ? await lookedAgain(reading, { picture, others: beside }, looks) : reading;
    looked.push(isDue ? judgedOnPage(again, { picture, places, found }) : again);
  }
  return looked;
}
