import type { Clock } from '../../contract/base/clock.ts';
import { messageOf } from '../../contract/base/errors.ts';
import { type HostedProvider, usualPatienceMs } from '../model-server/hosted-provider.ts';
import type { Launcher } from '../process/process.ts';
import { type Environment, fileDigestOf, findExecutable, isExecutable } from '../process/tools.ts';
import { openOpenaiRecognizer, type ResponseFormat } from './openai.ts';
import { openPocketsphinx, POCKETSPHINX_MODEL } from './pocketsphinx.ts';
import { type DigestOf, type Recognizer, withoutPlaces } from './recognizer.ts';
import { openWhisperCli } from './whisper-cli.ts';

/** The recognizer of a host's options. */
export type RecognizerChoice =
  | {
      readonly engine: 'pocketsphinx' /** A folder; null for the one that its package brings. */;
      readonly model: string | null;
    }
  | { readonly engine: 'whisper-cli' /** A file. */; readonly model: string }
  | {
      readonly engine: 'openai' /** As its server names it. */;
      readonly model: string;
      readonly responseFormat: ResponseFormat;
      readonly provider: HostedProvider;
    };

/** The chosen recognizer of a host is missing. `message` begins with the code. */
export class RecognizerUnavailable extends Error {
  readonly code = 'recognizer_unavailable';
  constructor(detail: string, cause?: unknown) {
    super(`recognizer_unavailable: ${detail}`, { cause });
    this.name = 'RecognizerUnavailable';
  }
}

/** Name of each program, and the variable that names its file instead. */
const RECOGNIZER_PROGRAMS = {
  'whisper-cli': { name: 'whisper-cli', environmentVariable: 'MEDIA_STUDY_WHISPER_CLI' },
  pocketsphinx: { name: 'pocketsphinx_continuous', environmentVariable: 'MEDIA_STUDY_POCKETSPHINX' },
} as const;

/** The absolute path of the program of an engine; null if there is none. */
export async function recognizerProgram(
  engine: keyof typeof RECOGNIZER_PROGRAMS,
  environment: Environment,
): Promise<string | null> {
  const { name, environmentVariable } = RECOGNIZER_PROGRAMS[engine];
  const named = environment[environmentVariable];
  if (named === undefined) return findExecutable(name, environment.PATH ?? '');
  return named.startsWith('/') && (await isExecutable(named)) ? named : null;
}

interface RecognizerOpening {
  readonly environment: Environment;
  readonly clock: Clock;
  /** Gives the digests of its program and its model; by default both are read. */
  readonly digestOf?: DigestOf;
}

/** Opens a recognizer. One on this machine gets its identity from its files, and is not run. Rejects with `RecognizerUnavailable`. */
export async function openRecognizer(
  launcher: Launcher,
  choice: RecognizerChoice,
  { environment, clock, digestOf = fileDigestOf }: RecognizerOpening,
): Promise<Recognizer> {
  if (choice.engine === 'openai') return openOpenaiRecognizer({ ...choice, clock, patienceMs: usualPatienceMs });
  const { name, environmentVariable } = RECOGNIZER_PROGRAMS[choice.engine];
  const executable = await recognizerProgram(choice.engine, environment);
  if (executable === null) {
    const isNamed = environment[environmentVariable] !== undefined;
    throw new RecognizerUnavailable(
      isNamed ? `${environmentVariable} names no executable file` : `${name} is not on PATH`,
    );
  }
  const model = choice.engine === 'pocketsphinx' ? (choice.model ?? POCKETSPHINX_MODEL) : choice.model;
  try {
    const open = choice.engine === 'pocketsphinx' ? openPocketsphinx : openWhisperCli;
    return await open(launcher, { executable, model, digestOf });
  } catch (error) {
    throw new RecognizerUnavailable(withoutPlaces(messageOf(error), { executable, model }), error);
  }
}

// A tenth of a second without speech: enough to find out whether the engine and its model run.
const TRIAL_SAMPLES = 1600;

/**
 * Runs a recognizer on this machine once. With a declared language Whisper only loads its model. To find out the language of silence, a
 * medium model takes 48 s of one core. Rejects with `RecognizerUnavailable`.
 */
export async function demandRunning(recognizer: Recognizer): Promise<void> {
  if (recognizer.engine === 'openai') return;
  const { signal } = new AbortController();
  try {
    await recognizer.recognize({ samples: Buffer.alloc(2 * TRIAL_SAMPLES), language: 'en' }, signal);
  } catch (error) {
    throw new RecognizerUnavailable(messageOf(error), error);
  }
}
