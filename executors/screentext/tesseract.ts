import type { ToolIdentity } from '../../contract/base/artifact.ts';
import type { Clock } from '../../contract/base/clock.ts';
import type { EvidenceArtifact } from '../../contract/evidence/evidence.ts';
import type { ReadText, ScreenTextEngine } from '../../contract/screentext.ts';
import type { Launcher } from '../process/process.ts';
import { type GrayPicture, grayPicture } from './gray-picture.ts';
import {
  demandEngine,
  engineIdentity,
  installed,
  type LanguageData,
  languageData,
  type Resolve,
  ScreenTextUnavailable,
} from './language-data.ts';
import { END_RULE, LINE_RULE, linesIn, type TextLine } from './line-finder.ts';
import { boxesOverlap, joinedReadings, lettersIn, lookedAgain, MOST_ROUNDS, STRIP, SURE_MILLI } from './second-look.ts';
import { placeIn, readLines, SIGN_GAP, TesseractConnection, UnreadablePicture } from './tesseract-connection.ts';

/** The reader of text on the screen of a host. A host without the option has none. */
export interface ScreenTextReader {
  readonly engine: ScreenTextEngine;
  /** The engine first, then the data of its languages. */
  readonly tools: readonly [ToolIdentity, ...ToolIdentity[]];
  /** Everything that it is set to. */
  readonly parameters: EvidenceArtifact['parameters'];
  /** Begins to read: a process that stays until `close`. Rejects with `ProcessFailure`. */
  open(signal: AbortSignal): Promise<OpenReader>;
}

/** A reader at work. */
export interface OpenReader {
  /**
   * Every line that the engine sees in a picture (PGM), however sure it is; the surer ones were looked at again. Rejects with
   * `UnreadablePicture` if the engine fails over this picture in every way, else with `ProcessFailure` or `DetectionFailure`.
   */
  read(picture: Buffer): Promise<readonly ReadText[]>;
  close(): Promise<void>;
}

/**
 * Sparse text in no order, as on screens. One threshold for all of a picture (Otsu) reads light letters on dark ground. One for each
 * place (Sauvola) also reads text on a ground that changes its light. On the sample, and on drawn titles in eight fonts, each reads
 * what the other misses. The second one reads a page if a line that was found on it is in doubt.
 */
const MODE = '11';
const THRESHOLDS = ['0', '2'] as const;

/** A page of more lines is full of other shapes, which take the engine seconds. */
const MOST_LINES = 30;

/** The heights at which a found line is drawn, one after the other, until two readings agree. The engine reads letters of 30 to 60 pixels best. */
const DRAWN_HEIGHTS = [40, 48, 56] as const;

/** Below this confidence in its first reading a found line is leaves or branches. */
const WORTH_MILLI = 700;

/** The languages that are read unless a host is started for others, by the codes of the engine. */
export const DEFAULT_LANGUAGES = ['eng', 'kor'] as const;

/** The engine that a host is started with. */
export interface ScreenTextChoice {
  readonly engine: 'tesseract';
  /** Codes of the engine; at least one. */
  readonly languages: readonly string[];
}

interface ScreenTextDeps {
  readonly launcher: Launcher;
  readonly clock: Clock;
  /** Where packages are found; beside this program unless given. */
  readonly resolve?: Resolve;
}

/** One line alone, which is how a surer reading is looked at again. */
const LINE_MODE = '7';

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

function readerOver(connection: TesseractConnection): OpenReader {
  const readBy = async (mode: string, threshold: string, picture: GrayPicture): Promise<ReadText[]> => {
    const settings = { tessedit_pageseg_mode: mode, thresholding_method: threshold };
    return readLines(await connection.read(picture.pgm, settings), picture);
  };
  /** A way in which the engine cannot read a picture has seen nothing there; the other ways count alone. */
  const triedBy = (mode: string, threshold: string, picture: GrayPicture): Promise<ReadText[] | UnreadablePicture> =>
    readBy(mode, threshold, picture).catch((error: unknown) => {
      if (error instanceof UnreadablePicture) return error;
      throw error;
    });
  const lookBy = (threshold: string) => async (strip: GrayPicture) => {
    const seen = await triedBy(LINE_MODE, threshold, strip);
    return seen instanceof UnreadablePicture ? [] : seen;
  };
  const looks = THRESHOLDS.map(lookBy);
  const lookAgain = async (picture: GrayPicture, readings: readonly ReadText[]): Promise<ReadText[]> => {
    const looked: ReadText[] = [];
    for (const reading of readings) {
      const others = readings.filter((other) => other !== reading);
      const isDue = reading.confidenceMilli >= SURE_MILLI && reading.secondLook === undefined;
      looked.push(isDue ? await lookedAgain(reading, { picture, others }, looks) : reading);
    }
    return looked;
  };
  /** The lines that are found and read alone. */
  const readFound = async (picture: GrayPicture): Promise<ReadText[]> => {
    const texts: ReadText[] = [];
    for (const place of await linesIn(picture)) {
      const read = await readPlace(place, lookBy(THRESHOLDS[0]));
      const [line] = place;
      if (read !== null && line !== undefined) texts.push({ ...read, box: placeIn(line.box, picture) });
    }
    return texts;
  };
  return {
    read: async (pgm) => {
      const picture = grayPicture(pgm);
      const page = await triedBy(MODE, THRESHOLDS[0], picture);
      const found = await readFound(picture);
      if (page instanceof UnreadablePicture && found.length === 0) throw page;
      const agreed = found.filter(({ secondLook }) => secondLook === 'agrees');
      const doubted = found.filter((line) => !agreed.includes(line));
      const pages = [page instanceof UnreadablePicture ? [] : page];
      if (doubted.length > 0 && (pages[0]?.length ?? 0) <= MOST_LINES) {
        const second = await triedBy(MODE, THRESHOLDS[1], picture);
        pages.push(second instanceof UnreadablePicture ? [] : second);
      }
      const joined = joinedReadings(agreed, pages.flat());
      // A found line in doubt counts only in a place that the page leaves empty.
      return lookAgain(
        picture,
        joinedReadings(
          joined,
          doubted.filter((line) => !joined.some(({ box }) => boxesOverlap(box, line.box))),
        ),
      );
    },
    close: () => connection.close(),
  };
}

/**
 * Opens the reader of a host. It is started once, which shows that it runs, and in which form. Rejects with `ScreenTextUnavailable`.
 */
export async function openScreenTextReader(
  { languages }: ScreenTextChoice,
  { launcher, clock, resolve = installed }: ScreenTextDeps,
): Promise<ScreenTextReader> {
  await demandEngine(resolve);
  const data = await Promise.all(languages.map((language) => languageData(language, resolve)));
  const core = await formOf({ launcher, clock }, data);
  const engine = await engineIdentity(core, resolve);
  return {
    engine: 'tesseract',
    tools: [engine, ...data.map(({ tool }) => tool)],
    parameters: {
      languages: languages.join('+'),
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
    },
    open: async (signal) => {
      const { connection } = await TesseractConnection.open({ launcher, clock }, data, signal);
      return readerOver(connection);
    },
  };
}

async function formOf(
  deps: Pick<ScreenTextDeps, 'launcher' | 'clock'>,
  data: readonly LanguageData[],
): Promise<string> {
  try {
    const { connection, core } = await TesseractConnection.open(deps, data, new AbortController().signal);
    await connection.close();
    return core;
  } catch (error) {
    throw new ScreenTextUnavailable(error instanceof Error ? error.message : String(error), error);
  }
}
