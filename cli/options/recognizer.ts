import { type RecognizerEngine, recognizerEngines } from '../../contract/recognition/semantic-evidence.ts';
import type { RecognizerChoice } from '../../executors/recognition/open-recognizer.ts';
import { type ResponseFormat, responseFormats } from '../../executors/recognition/openai.ts';
import { POCKETSPHINX_MODEL } from '../../executors/recognition/pocketsphinx.ts';
import { choice } from './closed-values.ts';
import { type FlagTable, type GivenFlags, single, toggle } from './flags.ts';
import { askedOf, modelNamed, providerOf } from './model-server.ts';
import { absolutePath } from './path-option.ts';
import { StartError } from './start-error.ts';

const engineFlag = 'semantic-recognizer';
const permissionFlag = 'allow-real-semantic-evidence';
const modelFlag = 'semantic-recognizer-model';

/** The flags that choose who recognises speech. */
export const recognizerFlags: FlagTable = {
  [engineFlag]: single(
    'NAME',
    'unavailable',
    'who recognises speech: unavailable; pocketsphinx, English, on this machine; whisper-cli, on this machine, with a model file of yours; or openai for a server behind the interface of OpenAI',
  ),
  [permissionFlag]: toggle(
    `allows --${engineFlag} other than unavailable, and must stand with it; with openai the sound of speech may leave this machine, and answers may cost money`,
  ),
  [modelFlag]: single(
    'NAME',
    null,
    `the model: with openai its name, as the server has it; with whisper-cli a file; with pocketsphinx a folder, where it is not ${POCKETSPHINX_MODEL}`,
  ),
};

const formatFlagName = 'semantic-recognizer-response-format';

/** The flag that says what a server is asked to answer with; a worker asks no server. */
export const responseFormatFlag: FlagTable = {
  [formatFlagName]: single(
    'FORMAT',
    'verbose_json',
    `what --${engineFlag} openai asks its server for: verbose_json, with times of lines and words; or json, text alone, for models that know nothing else, such as gpt-4o-transcribe`,
  ),
};

const secondRunFlagName = 'semantic-recognizer-second-run';

/** The flag that has speech recognised twice; a worker does what its host asks of it. */
export const secondRunFlag: FlagTable = {
  [secondRunFlagName]: toggle(
    `recognises each stretch of speech a second time, with more sound around it, and withholds lines of which the runs make something else; takes twice as long and needs --${engineFlag}`,
  ),
};

/** Whether speech is recognised twice. Throws `StartError` where no recogniser is chosen. */
export function secondRunOf(given: GivenFlags, recognizer: RecognizerFlags | null): boolean {
  const isGiven = given.has(secondRunFlagName);
  if (isGiven && recognizer === null) {
    throw notAllowed(`--${secondRunFlagName} needs --${engineFlag} ${recognizerEngines.join(' or ')}`);
  }
  return isGiven;
}

/** Who recognises speech, as the flags say; the server of `openai` is in the environment. */
export interface RecognizerFlags {
  readonly engine: RecognizerEngine;
  readonly model: string | null;
  /** With `openai` alone. */
  readonly responseFormat?: ResponseFormat;
}

const notAllowed = (message: string) => new StartError('executor_not_allowed', message);

function modelOf(engine: RecognizerEngine, given: string | undefined): string | null {
  if (given === undefined) {
    if (engine === 'pocketsphinx') return null;
    throw notAllowed(`--${engineFlag} ${engine} needs --${modelFlag}`);
  }
  if (engine !== 'openai') return absolutePath(given);
  return modelNamed(modelFlag, given);
}

/** What the server of `openai` is asked to answer with; nothing for the others. */
function responseFormatOf(engine: RecognizerEngine | null, given: GivenFlags) {
  if (engine === 'openai') return { responseFormat: choice(given, formatFlagName, responseFormats) };
  if (!given.has(formatFlagName)) return {};
  throw notAllowed(`--${formatFlagName} needs --${engineFlag} openai`);
}

/** The recogniser of a host; null where none is configured. Throws `StartError` unless the flags agree. */
export function recognizerFlagsOf(given: GivenFlags): RecognizerFlags | null {
  const engine = choice(given, engineFlag, ['unavailable', ...recognizerEngines]);
  const model = given.single(modelFlag);
  const isAllowed = given.has(permissionFlag);
  if (engine === 'unavailable') {
    if (isAllowed) throw notAllowed(`--${permissionFlag} needs --${engineFlag} ${recognizerEngines.join(' or ')}`);
    if (model !== undefined) throw notAllowed(`--${modelFlag} needs --${engineFlag} ${recognizerEngines.join(' or ')}`);
    responseFormatOf(null, given);
    return null;
  }
  if (!isAllowed) throw notAllowed(`--${engineFlag} ${engine} needs --${permissionFlag}`);
  return { engine, model: modelOf(engine, model), ...responseFormatOf(engine, given) };
}

/** The recogniser with the server that the environment names. Throws `StartError`, never with the key or the address in it. */
export function recognizerOf(
  flags: RecognizerFlags | null,
  environment: Readonly<Record<string, string | undefined>>,
): RecognizerChoice | null {
  if (flags === null) return null;
  const { engine, model, responseFormat = 'verbose_json' } = flags;
  if (engine === 'pocketsphinx') return { engine, model };
  if (engine === 'whisper-cli') return { engine, model: model ?? '' };
  const provider = providerOf(environment, 'invalid_recognition_provider');
  return { engine, model: model ?? '', responseFormat, provider };
}

/** How the line on stdout names the recogniser. */
export const announcedRecognizer = (flags: RecognizerFlags | null): string =>
  flags === null ? 'current-run-unavailable-no-fixture-fallback' : `current-run-${flags.engine}-opt-in`;

/** What people have to know of a host that recognises speech. */
export function recognizerNotice(recognizer: RecognizerChoice): string {
  const what = `speech recognition: ${recognizer.engine}`;
  if (recognizer.engine !== 'openai') return `${what}, on this machine`;
  return `${what}, ${askedOf(recognizer.model, recognizer.provider, 'the sound of speech leaves it with every study')}`;
}
