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
import { joinedReadings, lookedAgain, MOST_ROUNDS, STRIP, SURE_MILLI } from './second-look.ts';
import { readLines, SIGN_GAP, TesseractConnection, UnreadablePicture } from './tesseract-connection.ts';

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
 * Sparse text in no order, as on screens. Each picture is read twice. One threshold for all of it (Otsu) reads light letters on
 * dark ground. One for each place (Sauvola) also reads text on a ground that changes its light. On the sample, and on drawn
 * titles in eight fonts, each reads what the other misses.
 */
const MODE = '11';
const THRESHOLDS = ['0', '2'] as const;

/** A picture of so many lines is a page that the first way reads, or clutter that both sit over. */
const MOST_LINES = 60;

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
  const looks = THRESHOLDS.map((threshold) => async (strip: GrayPicture) => {
    const seen = await triedBy(LINE_MODE, threshold, strip);
    return seen instanceof UnreadablePicture ? [] : seen;
  });
  const lookAgain = async (picture: GrayPicture, readings: readonly ReadText[]): Promise<ReadText[]> => {
    const looked: ReadText[] = [];
    for (const reading of readings) {
      const others = readings.filter((other) => other !== reading);
      const isSure = reading.confidenceMilli >= SURE_MILLI;
      looked.push(isSure ? await lookedAgain(reading, { picture, others }, looks) : reading);
    }
    return looked;
  };
  return {
    read: async (pgm) => {
      const picture = grayPicture(pgm);
      const first = await triedBy(MODE, THRESHOLDS[0], picture);
      if (!(first instanceof UnreadablePicture) && first.length > MOST_LINES) return lookAgain(picture, first);
      const second = await triedBy(MODE, THRESHOLDS[1], picture);
      if (first instanceof UnreadablePicture && second instanceof UnreadablePicture) throw first;
      const read = [first, second].map((lines) => (lines instanceof UnreadablePicture ? [] : lines));
      return lookAgain(picture, joinedReadings(read[0] ?? [], read[1] ?? []));
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
