import type { RecognizerOpening } from '../../../actors/engines/engine-choices.ts';
import { messageOf } from '../../../contract/base/errors.ts';
import { type HostedProvider, usualPatienceMs } from '../../../executors/model-server/hosted-provider.ts';
import { idleCores } from '../../../executors/process/idle-cores.ts';
import { type Environment, fileDigestOf, findExecutable, isExecutable } from '../../../executors/process/tools.ts';
import { type Recognizer, RecognizerUnavailable } from '../../../executors/recognition/recognizer.ts';
import { withoutPlaces } from './engine-files.ts';
import { openServedRecognizer } from './openai.ts';
import { openPocketsphinx, POCKETSPHINX_MODEL } from './pocketsphinx.ts';
import type { ResponseFormat } from './transcription-wires.ts';
import { openWhisperCli } from './whisper-cli.ts';

/** The recognizer of a host's options. */
export type RecognizerChoice =
  | {
      readonly engine: 'pocketsphinx' /** A folder; null for the one that its package brings. */;
      readonly model: string | null;
    }
  | {
      readonly engine: 'whisper-cli' /** A file. */;
      readonly model: string;
      /** An absolute path; absent for the program on PATH. */
      readonly program?: string;
    }
  | {
      readonly engine: 'openai' /** As its server names it. */;
      readonly model: string;
      readonly responseFormat: ResponseFormat;
      readonly provider: HostedProvider;
      /** The file that its key is from; absent or null for that of the environment. */
      readonly keyFile?: string | null;
    };

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

/** Opens a recognizer. One on this machine gets its identity from its files, and is not run. Rejects with `RecognizerUnavailable`. */
export async function openRecognizer(
  choice: RecognizerChoice,
  { launcher, environment, clock, digestOf = fileDigestOf }: RecognizerOpening,
): Promise<Recognizer> {
  if (choice.engine === 'openai') return openServedRecognizer({ ...choice, clock, patienceMs: usualPatienceMs });
  const { name, environmentVariable } = RECOGNIZER_PROGRAMS[choice.engine];
  const named = choice.engine === 'whisper-cli' ? choice.program : undefined;
  const executable =
    named === undefined
      ? await recognizerProgram(choice.engine, environment)
      : (await isExecutable(named))
        ? named
        : null;
  if (executable === null) {
    if (named !== undefined) throw new RecognizerUnavailable('its setting names no executable file');
    const isNamed = environment[environmentVariable] !== undefined;
    throw new RecognizerUnavailable(
      isNamed ? `${environmentVariable} names no executable file` : `${name} is not on PATH`,
    );
  }
  const model = choice.engine === 'pocketsphinx' ? (choice.model ?? POCKETSPHINX_MODEL) : choice.model;
  try {
    const files = { executable, model, digestOf };
    if (choice.engine === 'pocketsphinx') return await openPocketsphinx(launcher, files);
    return await openWhisperCli(launcher, files, idleCores);
  } catch (error) {
    throw new RecognizerUnavailable(withoutPlaces(messageOf(error), { executable, model }), error);
  }
}
