import { type RecognizerEngine, recognizerEngines } from '../../contract/recognition.ts';
import type { Environment } from '../../executors/process/tools.ts';
import { StartError } from '../../options/failures.ts';
import { absolutePath, type FlagTable, type GivenFlags, oneOf, single, toggle, valuesOf } from '../../options/flags.ts';
import {
  askedOf,
  modelNamed,
  type OwnServer,
  ownServerFlags,
  ownServerOf,
  providerOf,
} from '../../options/model-server.ts';
import { option, type StartText, worded } from '../../options/start-text.ts';
import type { RecognizerChoice } from './engine/open-recognizer.ts';
import { POCKETSPHINX_MODEL } from './engine/pocketsphinx.ts';
import { type ResponseFormat, responseFormats } from './engine/transcription-wires.ts';

const recognizerFlag = 'semantic-recognizer';
export const everyStudyFlag = 'allow-real-semantic-evidence';
const recognizerModelFlag = 'semantic-recognizer-model';
const recognizerProgramFlag = 'semantic-recognizer-program';
export const permissionFlag = 'permit-recognition';

const recognition = { setting: { room: 'recognition', change: 'at_once', isGrouped: true } } as const;

/** The flag by which a person permits recognition where a request asks for it; without one it changes nothing. */
export const recognitionPermission = {
  [permissionFlag]: {
    setting: { room: 'recognition', change: 'at_once', role: 'permission' },
    ...toggle(
      `permits the --${recognizerFlag} for studies that request it, and for those whose captions need it; --${everyStudyFlag} has every study recognized`,
    ),
  },
} satisfies FlagTable;

/** The flags that choose the recognizer of speech. */
export const recognizerFlags = {
  [recognizerFlag]: {
    setting: { ...recognition.setting, role: 'choice' },
    ...oneOf(
      'NAME',
      ['unavailable', ...recognizerEngines],
      'the recognizer of speech: unavailable (none); pocketsphinx, for English, on this machine; whisper-cli, on this machine, with a model file; or openai, for a server with the interface of OpenAI',
    ),
  },
  [everyStudyFlag]: {
    ...recognition,
    ...toggle(
      `allows a --${recognizerFlag}, and requires one; with openai the sound of speech may leave this machine, and answers may cost money`,
    ),
  },
  [recognizerModelFlag]: {
    setting: { ...recognition.setting, of: recognizerFlag },
    ...single(
      'NAME',
      null,
      `the model: for openai its name at the server; for whisper-cli a file; for pocketsphinx a folder, by default ${POCKETSPHINX_MODEL}`,
    ),
  },
  [recognizerProgramFlag]: {
    setting: { ...recognition.setting, of: recognizerFlag, namesProgram: true },
    ...single('FILE', null, 'the whisper-cli to run, in the place of the one on PATH'),
  },
} satisfies FlagTable;

const formatFlagName = 'semantic-recognizer-response-format';

/** The flag for the format of a server's answers; a worker uses no server. */
export const responseFormatFlag = {
  [formatFlagName]: {
    ...recognition,
    ...oneOf(
      'FORMAT',
      responseFormats,
      `the format of the answers with --${recognizerFlag} openai: verbose_json, with times of lines and words; or json, only text, for models without times, such as gpt-4o-transcribe`,
    ),
  },
} satisfies FlagTable;

export const recognizerServerNames = {
  server: 'semantic-recognizer-server',
  keyFile: 'semantic-recognizer-key-file',
} as const;

/** The flags for a server of speech alone; a worker uses no server. */
export const recognizerServerFlags = ownServerFlags(
  recognizerServerNames,
  `transcribes with --${recognizerFlag} openai`,
  {
    ...recognition.setting,
    of: recognizerFlag,
  },
) satisfies FlagTable;

const secondRunFlagName = 'semantic-recognizer-second-run';

/** The flag for a second run over speech; a worker does what its host orders. */
export const secondRunFlag = {
  [secondRunFlagName]: {
    ...recognition,
    ...toggle(
      `recognizes each stretch of speech a second time, with more sound around it, and withholds the lines on which the runs differ; takes twice as long; needs --${recognizerFlag}`,
    ),
  },
} satisfies FlagTable;

/** True if the host recognizes speech twice. Throws `StartError` without a recognizer. */
export function secondRunOf(given: GivenFlags, recognizer: RecognizerFlags | null): boolean {
  const isGiven = given.has(secondRunFlagName);
  if (isGiven && recognizer === null) throw withoutRecognizer(secondRunFlagName);
  return isGiven;
}

/** The recognizer of speech, as the flags give it; the server of `openai` is in the environment. */
export interface RecognizerFlags {
  readonly engine: RecognizerEngine;
  readonly model: string | null;
  /** With `whisper-cli` alone: an absolute path in the place of the program on PATH. */
  readonly program?: string;
  /** With `openai` alone. */
  readonly responseFormat?: ResponseFormat;
  /** With `openai` alone. */
  readonly own?: OwnServer;
}

const notAllowed = (message: string | StartText) => new StartError('executor_not_allowed', message);

const withoutRecognizer = (flag: string) =>
  notAllowed(worded`${option(flag)} needs ${option(recognizerFlag)} ${recognizerEngines.join(' or ')}`);

function recognizerModelOf(engine: RecognizerEngine, given: string | undefined): string | null {
  if (given === undefined) {
    if (engine === 'pocketsphinx') return null;
    throw notAllowed(worded`${option(recognizerFlag)} ${engine} needs ${option(recognizerModelFlag)}`);
  }
  if (engine !== 'openai') return absolutePath(given);
  return modelNamed(recognizerModelFlag, given);
}

/** The format in which the server of `openai` answers; undefined for the other engines. */
function responseFormatOf(engine: RecognizerEngine | null, given: GivenFlags) {
  if (engine === 'openai') return { responseFormat: valuesOf(given, responseFormatFlag)[formatFlagName] };
  if (!given.has(formatFlagName)) return {};
  throw notAllowed(worded`${option(formatFlagName)} needs ${option(recognizerFlag)} openai`);
}

/** The server of its own of `openai`; undefined for the other engines. */
function ownServer(engine: RecognizerEngine | null, given: GivenFlags) {
  if (engine === 'openai') {
    const own = ownServerOf(given, recognizerServerNames);
    return own === null ? {} : { own };
  }
  const name = Object.values(recognizerServerNames).find((each) => given.has(each));
  if (name === undefined) return {};
  throw notAllowed(worded`${option(name)} needs ${option(recognizerFlag)} openai`);
}

/** The program of `whisper-cli`, if the options name one. */
function programOf(engine: RecognizerEngine | null, given: string | undefined) {
  if (given === undefined) return {};
  if (engine === 'whisper-cli') return { program: absolutePath(given) };
  throw notAllowed(worded`${option(recognizerProgramFlag)} needs ${option(recognizerFlag)} whisper-cli`);
}

/** The recognizer of a host; null if none is configured. Throws `StartError` unless the flags agree. */
export function recognizerFlagsOf(given: GivenFlags): RecognizerFlags | null {
  const options = valuesOf(given, recognizerFlags);
  const { [recognizerFlag]: engine, [recognizerModelFlag]: model, [everyStudyFlag]: isAllowed } = options;
  const program = options[recognizerProgramFlag];
  if (engine === 'unavailable') {
    if (isAllowed) throw withoutRecognizer(everyStudyFlag);
    if (model !== undefined) throw withoutRecognizer(recognizerModelFlag);
    programOf(null, program);
    responseFormatOf(null, given);
    ownServer(null, given);
    return null;
  }
  if (!isAllowed && !given.has(permissionFlag))
    throw notAllowed(worded`${option(recognizerFlag)} ${engine} needs ${option(everyStudyFlag)}`);
  return {
    engine,
    model: recognizerModelOf(engine, model),
    ...programOf(engine, program),
    ...responseFormatOf(engine, given),
    ...ownServer(engine, given),
  };
}

/** The recognizer with the server that the environment names. Throws `StartError`, never with the key or the address in it. */
export function recognizerOf(flags: RecognizerFlags, environment: Environment): RecognizerChoice {
  const { engine, model, program, responseFormat = 'verbose_json', own } = flags;
  if (engine === 'pocketsphinx') return { engine, model };
  if (engine === 'whisper-cli') return { engine, model: model ?? '', ...(program !== undefined && { program }) };
  const provider = providerOf(environment, 'invalid_recognition_provider', own);
  return { engine, model: model ?? '', responseFormat, provider, ...(own !== undefined && { keyFile: own.keyFile }) };
}

/** The name of the recognizer in the line on stdout. */
export const announcedRecognizer = (flags: RecognizerFlags | null): string =>
  flags === null ? 'current-run-unavailable-no-fixture-fallback' : `current-run-${flags.engine}-opt-in`;

/** The notice for people if a host recognizes speech. */
export function recognizerNotice(recognizer: RecognizerChoice, isForEveryStudy = true): string {
  const what = `speech recognition: ${recognizer.engine}`;
  if (recognizer.engine !== 'openai') return `${what}, on this machine`;
  const when = isForEveryStudy ? 'with every study' : 'with each study that needs it';
  return `${what}, ${askedOf(recognizer.model, recognizer.provider, `the sound of speech leaves it ${when}`)}`;
}
