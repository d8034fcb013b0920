import type { ToolIdentity } from '../../../contract/base/artifact.ts';
import type { Clock } from '../../../contract/base/clock.ts';
import type { EvidenceArtifact } from '../../../contract/evidence/evidence.ts';
import type { ScreenTextEngine } from '../../../contract/screentext.ts';
import type { Launcher } from '../../../executors/process/process.ts';
import {
  demandEngine,
  engineIdentity,
  installed,
  type LanguageData,
  languageData,
  type Resolve,
  ScreenTextUnavailable,
} from './language-data.ts';
import { TesseractConnection } from './tesseract-connection.ts';

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

/** A reader at work: a process of the engine. */
export type OpenReader = Pick<TesseractConnection, 'read' | 'close'>;

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

/**
 * Opens the reader of a host. It is started once, which shows that it runs, in which form and with which settings. Rejects with
 * `ScreenTextUnavailable`.
 */
export async function openScreenTextReader(
  { languages }: ScreenTextChoice,
  { launcher, clock, resolve = installed }: ScreenTextDeps,
): Promise<ScreenTextReader> {
  await demandEngine(resolve);
  const data = await Promise.all(languages.map((language) => languageData(language, resolve)));
  const { core, parameters } = await startedOnce({ launcher, clock }, data);
  const engine = await engineIdentity(core, resolve);
  return {
    engine: 'tesseract',
    tools: [engine, ...data.map(({ tool }) => tool)],
    parameters: { languages: languages.join('+'), ...parameters },
    open: async (signal) => (await TesseractConnection.open({ launcher, clock }, data, signal)).connection,
  };
}

async function startedOnce(
  deps: Pick<ScreenTextDeps, 'launcher' | 'clock'>,
  data: readonly LanguageData[],
): Promise<{ core: string; parameters: EvidenceArtifact['parameters'] }> {
  try {
    const { connection, core, parameters } = await TesseractConnection.open(deps, data, new AbortController().signal);
    await connection.close();
    return { core, parameters };
  } catch (error) {
    throw new ScreenTextUnavailable(error instanceof Error ? error.message : String(error), error);
  }
}
