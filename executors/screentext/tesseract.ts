import type { Clock } from '../../contract/base/clock.ts';
import { DetectionFailure } from '../detector/detection-failure.ts';
import type { Launcher } from '../process/process.ts';
import {
  demandEngine,
  engineIdentity,
  installed,
  languageData,
  type Resolve,
  ScreenTextUnavailable,
} from './language-data.ts';
import { readLines, SIGN_GAP } from './read-lines.ts';
import type { OpenReader, ScreenTextReader } from './screen-text-reader.ts';
import { TesseractConnection, type TesseractSetting } from './tesseract-connection.ts';

/**
 * Sparse text in no order, which is what stands on screens, and a threshold of its own for each place (Sauvola), without which text on
 * a ground that changes its light is cut off. Of the modes tried on the sample this one reads the most.
 */
const SETTINGS = { tessedit_pageseg_mode: '11', thresholding_method: '2' } as const;

/** The languages that are read unless a host is started for others, by the codes of the engine. */
export const DEFAULT_LANGUAGES = ['eng', 'kor'] as const;

/** The engine that a host is started with. */
export interface ScreenTextChoice {
  readonly engine: 'tesseract';
  /** Codes of the engine; at least one. */
  readonly languages: readonly string[];
}

export interface ScreenTextDeps {
  readonly launcher: Launcher;
  readonly clock: Clock;
  /** Where packages are found; beside this program unless given. */
  readonly resolve?: Resolve;
}

const HEAD = /^P5\n(\d+) (\d+)\n/;

function sizeOf(picture: Uint8Array): { width: number; height: number } {
  const [, width, height] = HEAD.exec(Buffer.from(picture.subarray(0, 32)).toString('latin1')) ?? [];
  if (width === undefined || height === undefined) throw new DetectionFailure('a picture in an unknown form');
  return { width: Number(width), height: Number(height) };
}

const readerOver = (connection: TesseractConnection): OpenReader => ({
  read: async (picture) => readLines(await connection.read(picture), sizeOf(picture)),
  close: () => connection.close(),
});

/**
 * Opens the reader of a host. It is started once, which shows that it runs, and in which form. Rejects with `ScreenTextUnavailable`.
 */
export async function openScreenTextReader(
  { languages }: ScreenTextChoice,
  { launcher, clock, resolve = installed }: ScreenTextDeps,
): Promise<ScreenTextReader> {
  await demandEngine(resolve);
  const data = await Promise.all(languages.map((language) => languageData(language, resolve)));
  const setting: TesseractSetting = { data, settings: SETTINGS };
  const core = await formOf({ launcher, clock }, setting);
  const engine = await engineIdentity(core, resolve);
  return {
    engine: 'tesseract',
    tools: [engine, ...data.map(({ tool }) => tool)],
    parameters: { ...SETTINGS, languages: languages.join('+'), joinedSignGap: SIGN_GAP },
    open: async (signal) => {
      const { connection } = await TesseractConnection.open({ launcher, clock }, setting, signal);
      return readerOver(connection);
    },
  };
}

async function formOf(deps: Pick<ScreenTextDeps, 'launcher' | 'clock'>, setting: TesseractSetting): Promise<string> {
  try {
    const { connection, core } = await TesseractConnection.open(deps, setting, new AbortController().signal);
    await connection.close();
    return core;
  } catch (error) {
    throw new ScreenTextUnavailable(error instanceof Error ? error.message : String(error), error);
  }
}
