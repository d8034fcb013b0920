import { type EngineChoices, noPermissions } from '../../actors/engines/engine-choices.ts';
import { type RecognizerEngine, recognizerEngines } from '../../contract/recognition.ts';
import { addressFault, baseAddress } from '../../executors/model-server/hosted-provider.ts';
import type { RecognizerChoice } from '../../executors/recognition/open-recognizer.ts';
import { type ResponseFormat, responseFormats } from '../../executors/recognition/openai.ts';
import { POCKETSPHINX_MODEL } from '../../executors/recognition/pocketsphinx.ts';
import { StartError } from '../../options/failures.ts';
import {
  absolutePath,
  type FlagTable,
  type GivenFlags,
  oneOf,
  repeatable,
  single,
  toggle,
  valuesOf,
} from '../../options/flags.ts';
import { askedOf, modelNamed, providerOf } from '../../options/model-server.ts';
import { option, type StartText, worded } from '../../options/start-text.ts';
import { isTranslating } from '../../receipts/captions/allowance.ts';
import { captionMeans, type HostPermissions } from '../../receipts/captions/methods.ts';
import type { CaptionMeans } from '../../receipts/captions/prospect.ts';

const recognizerFlag = 'semantic-recognizer';
const recognizerPermissionFlag = 'allow-real-semantic-evidence';
const recognizerModelFlag = 'semantic-recognizer-model';

const permissionFlag = 'permit-recognition';
const serverPermissionFlag = 'permit-server';
const seamPermissionFlag = 'permit-test-seam';

/** The flags by which a person permits what requests may name; without a request they change nothing. */
export const permissionFlags = {
  [permissionFlag]: {
    setting: { room: 'recognition', change: 'at_once' },
    ...toggle(
      `permits the --${recognizerFlag} for studies that request it, and for those whose captions need it; --${recognizerPermissionFlag} has every study recognized`,
    ),
  },
  [serverPermissionFlag]: {
    setting: { room: 'captions', change: 'at_once' },
    ...repeatable(
      'URL',
      null,
      'permits that text or sound is sent to this server, for requests that need it; the same address as that of the model server, such as http://127.0.0.1:11434/v1',
    ),
    read: serversIn,
  },
  [seamPermissionFlag]: {
    setting: { room: 'captions', change: 'at_once' },
    ...toggle('permits captions of fixed texts, for tests of clients'),
  },
} satisfies FlagTable;

/** The addresses of permitted servers, as a host has them. Throws `StartError`, without an address that may hold a secret. */
function serversIn(given: GivenFlags, name: string): readonly string[] {
  return given.all(name).map((address) => {
    const fault = addressFault(address);
    if (fault !== null) throw new StartError('invalid_flags', worded`${option(name)} ${fault}`);
    return baseAddress(address);
  });
}

/** The permissions of a person. Throws `StartError`. */
export function permissionsOf(given: GivenFlags): HostPermissions {
  const {
    [permissionFlag]: recognition,
    [serverPermissionFlag]: servers,
    [seamPermissionFlag]: testSeam,
  } = valuesOf(given, permissionFlags);
  return { recognition, servers, testSeam };
}

const recognition = { setting: { room: 'recognition', change: 'at_once', isGrouped: true } } as const;

/** The flags that choose the recognizer of speech. */
export const recognizerFlags = {
  [recognizerFlag]: {
    ...recognition,
    ...oneOf(
      'NAME',
      ['unavailable', ...recognizerEngines],
      'the recognizer of speech: unavailable (none); pocketsphinx, for English, on this machine; whisper-cli, on this machine, with a model file; or openai, for a server with the interface of OpenAI',
    ),
  },
  [recognizerPermissionFlag]: {
    ...recognition,
    ...toggle(
      `allows a --${recognizerFlag}, and requires one; with openai the sound of speech may leave this machine, and answers may cost money`,
    ),
  },
  [recognizerModelFlag]: {
    ...recognition,
    ...single(
      'NAME',
      null,
      `the model: for openai its name at the server; for whisper-cli a file; for pocketsphinx a folder, by default ${POCKETSPHINX_MODEL}`,
    ),
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
interface RecognizerFlags {
  readonly engine: RecognizerEngine;
  readonly model: string | null;
  /** With `openai` alone. */
  readonly responseFormat?: ResponseFormat;
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

/** The recognizer of a host; null if none is configured. Throws `StartError` unless the flags agree. */
export function recognizerFlagsOf(given: GivenFlags): RecognizerFlags | null {
  const options = valuesOf(given, recognizerFlags);
  const { [recognizerFlag]: engine, [recognizerModelFlag]: model, [recognizerPermissionFlag]: isAllowed } = options;
  if (engine === 'unavailable') {
    if (isAllowed) throw withoutRecognizer(recognizerPermissionFlag);
    if (model !== undefined) throw withoutRecognizer(recognizerModelFlag);
    responseFormatOf(null, given);
    return null;
  }
  if (!isAllowed && !given.has(permissionFlag))
    throw notAllowed(worded`${option(recognizerFlag)} ${engine} needs ${option(recognizerPermissionFlag)}`);
  return { engine, model: recognizerModelOf(engine, model), ...responseFormatOf(engine, given) };
}

/** The recognizer with the server that the environment names. Throws `StartError`, never with the key or the address in it. */
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

const translationModelFlag = 'caption-translation-model';
const translationOnceFlag = 'caption-translation-asked-once';

const executorFlag = 'caption-executor';
const captions = { setting: { room: 'captions', change: 'at_once', isGrouped: true } } as const;

interface CaptionChoice extends CaptionMeans {
  /** The switch without which a host does not start with this executor; null for the default. */
  readonly permission: string | null;
  /** How the line on stdout names it. */
  readonly announced: string;
  /** Where its captions come from. */
  readonly help: string;
}

/** The caption executor of a host, and the model that translates; null if there is none. */
interface ChosenCaptions extends Omit<CaptionChoice, 'help'> {
  readonly model: string | null;
  /** True if the model translates each line once, and not a second time for comparison. */
  readonly isAskedOnce: boolean;
}

/** Every value of `--caption-executor`, the default first. */
const choices = {
  recorded: {
    classification: 'recorded_real_pipeline_fixture',
    permission: null,
    announced: 'recorded-real-pipeline-fixture-adapter',
    help: 'none for new studies',
  },
  'deterministic-test': {
    ...captionMeans['deterministic-test'],
    permission: 'allow-deterministic-caption-test-seam',
    announced: 'deterministic-current-run-test-seam-no-cognition',
    help: 'fixed texts, for tests of clients',
  },
  'embedded-subtitles': {
    ...captionMeans['embedded-subtitles'],
    permission: 'allow-embedded-subtitle-captions',
    announced: 'embedded-subtitle-tracks-no-model',
    help: 'the subtitle tracks of the media',
  },
  'grouped-subtitles': {
    ...captionMeans['grouped-subtitles'],
    permission: 'allow-embedded-subtitle-captions',
    announced: 'grouped-subtitle-tracks-no-model',
    help: 'the same, also if the tracks split their sentences differently',
  },
  'subtitles-translated': {
    ...captionMeans['subtitles-translated'],
    permission: 'allow-real-caption-production',
    announced: 'subtitle-tracks-translator-opt-in',
    help: 'the same, with a model that translates if no track is in the target language',
  },
  recognized: {
    ...captionMeans.recognized,
    permission: 'allow-recognized-captions',
    announced: 'recognised-transcript-same-language',
    help: 'recognized speech',
  },
  'subtitles-or-recognized': {
    ...captionMeans['subtitles-or-recognized'],
    permission: 'allow-recognized-captions',
    announced: 'subtitle-tracks-or-recognised-transcript',
    help: 'subtitle tracks that give lines in both languages, otherwise recognized speech',
  },
  'recognized-translated': {
    ...captionMeans['recognized-translated'],
    permission: 'allow-real-caption-production',
    announced: 'recognised-transcript-translator-opt-in',
    help: 'recognized speech, with a model that translates it',
  },
} as const satisfies Readonly<Record<string, CaptionChoice>>;

type ExecutorName = keyof typeof choices;

const executorNames = Object.keys(choices) as [ExecutorName, ...ExecutorName[]];

/** The executors for which a condition holds, as a call of the host chooses one of them. */
const callOf = (isOne: (choice: CaptionChoice) => boolean): StartText =>
  worded`${option(executorFlag)} ${executorNames.filter((name) => isOne(choices[name])).join(' or ')}`;

const allowedBy = (permission: string): StartText => callOf((choice) => choice.permission === permission);
const translatingExecutors = callOf(isTranslating);

/** The switch that allows an executor, with what its use means. */
const executorPermission = (permission: NonNullable<(typeof choices)[ExecutorName]['permission']>, meaning = '') => {
  const allowed = allowedBy(permission);
  const isOne = Object.values(choices).filter((choice) => choice.permission === permission).length === 1;
  const those = isOne ? 'it' : 'one of them';
  return { [permission]: { ...captions, ...toggle(`allows ${allowed}, and requires ${those}${meaning}`) } };
};

/** The flags that choose who makes captions. */
export const captionFlags = {
  [executorFlag]: {
    ...captions,
    ...oneOf(
      'NAME',
      executorNames,
      `where captions come from. ${executorNames.map((name) => `${name}: ${choices[name].help}`).join('; ')}`,
    ),
  },
  ...executorPermission('allow-deterministic-caption-test-seam'),
  ...executorPermission('allow-embedded-subtitle-captions', '; no model, no network'),
  ...executorPermission(
    'allow-recognized-captions',
    `: words of a recognizer become captions; studies have such words with --${recognizerFlag}`,
  ),
  ...executorPermission(
    'allow-real-caption-production',
    '; the text may leave this machine, and answers may cost money',
  ),
  [translationModelFlag]: {
    ...captions,
    ...single(
      'NAME',
      null,
      `the model that translates, as its server names it; requires ${translatingExecutors}, or --${serverPermissionFlag} with the address of that server`,
    ),
  },
  [translationOnceFlag]: {
    ...captions,
    ...toggle(
      `translates each line only once, with less than half of the tokens; lines that the model exchanged or merged may then pass the checks; requires --${translationModelFlag}`,
    ),
  },
} satisfies FlagTable;

/**
 * The caption executor of a host. Throws `StartError` for one that is unknown or not allowed, and for a permission without its
 * executor.
 */
export function chosenCaptionExecutor(given: GivenFlags): ChosenCaptions {
  const options = valuesOf(given, captionFlags);
  const { [executorFlag]: name, [translationModelFlag]: named, [translationOnceFlag]: isAskedOnce } = options;
  const { help: _, ...choice }: CaptionChoice = choices[name];
  if (choice.permission !== null && !given.has(choice.permission)) {
    throw notAllowed(worded`${option(executorFlag)} ${name} needs ${option(choice.permission)}`);
  }
  for (const { permission } of Object.values(choices)) {
    if (permission === null || permission === choice.permission || !given.has(permission)) continue;
    throw notAllowed(worded`${option(permission)} needs ${allowedBy(permission)}`);
  }
  const model = translationModelOf(name, choice, named, given.has(serverPermissionFlag));
  if (isAskedOnce && model === null)
    throw notAllowed(worded`${option(translationOnceFlag)} needs ${translatingExecutors}`);
  return { ...choice, model, isAskedOnce };
}

function translationModelOf(
  name: ExecutorName,
  choice: Pick<CaptionChoice, 'classification'>,
  model: string | undefined,
  mayBeRequested: boolean,
): string | null {
  const translates = isTranslating(choice);
  if (translates && model === undefined)
    throw notAllowed(worded`${option(executorFlag)} ${name} needs ${option(translationModelFlag)}`);
  if (model === undefined) return null;
  if (!translates && !mayBeRequested)
    throw notAllowed(worded`${option(translationModelFlag)} needs ${translatingExecutors}`);
  return modelNamed(translationModelFlag, model);
}

/**
 * The translator with the server that the environment names. One that only requests may name needs the permission for that server. Throws
 * `StartError`, never with the key in it.
 */
export function translatorOf(
  { classification, model, isAskedOnce }: ChosenCaptions,
  environment: Readonly<Record<string, string | undefined>>,
  { servers }: Pick<HostPermissions, 'servers'> = noPermissions,
): EngineChoices['translator'] {
  if (model === null) return null;
  const provider = providerOf(environment, 'invalid_translation_provider');
  if (!isTranslating({ classification }) && !servers.includes(provider.baseUrl)) {
    throw notAllowed(
      worded`${option(translationModelFlag)} needs ${option(serverPermissionFlag)} ${provider.baseUrl}, or ${translatingExecutors}`,
    );
  }
  return { provider, model, isAskedOnce };
}

/** The notice for people if a host translates. */
export function translatorNotice({ provider, model }: NonNullable<EngineChoices['translator']>): string {
  return `caption translation: ${askedOf(model, provider, 'the text of captions leaves it with every production')}`;
}
