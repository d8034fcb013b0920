import type { HostOptions } from '../../actors/host-types.ts';
import type { CaptionClassification } from '../../contract/captions/caption-line.ts';
import { modelName } from '../../contract/explanations/executor.ts';
import { type RecognizerEngine, recognizerEngines } from '../../contract/recognition.ts';
import { screenTextEngines } from '../../contract/screentext.ts';
import { type HostedProvider, hostedProvider } from '../../executors/explanations/hosted-provider.ts';
import type { RecognizerChoice } from '../../executors/recognition/open-recognizer.ts';
import { type ResponseFormat, responseFormats } from '../../executors/recognition/openai.ts';
import { POCKETSPHINX_MODEL } from '../../executors/recognition/pocketsphinx.ts';
import { DEFAULT_LANGUAGES, type ScreenTextChoice } from '../../executors/screentext/tesseract.ts';
import { isTranslating } from '../../receipts/captions/allowance.ts';
import { type StartCode, StartError } from '../failures.ts';
import { absolutePath, choice, type FlagTable, type GivenFlags, single, toggle } from './flags.ts';

/** The value of a flag that names a model as its server does. Throws `StartError`. */
function modelNamed(flag: string, given: string): string {
  if (modelName.safeParse(given).success) return given;
  throw new StartError('invalid_flags', `--${flag} ${given}: not the name of a model`);
}

/** The server that the environment names. Throws `StartError` with this code, never with the key or the address in it. */
function providerOf(environment: Readonly<Record<string, string | undefined>>, refusal: StartCode): HostedProvider {
  const provider = hostedProvider(environment);
  if ('refused' in provider) throw new StartError(refusal, provider.refused);
  return provider;
}

/** The server of a model, and `leaving`: the data that leaves this machine if the server is elsewhere. */
function askedOf(model: string, { baseUrl, isLocal }: HostedProvider, leaving: string): string {
  const where = isLocal
    ? 'a server on this machine; whether it passes anything on is up to that server'
    : `outside this machine: ${leaving}, and each may cost money`;
  return `asked of ${model} at ${baseUrl}, ${where}`;
}

const recognizerFlag = 'semantic-recognizer';
const recognizerPermissionFlag = 'allow-real-semantic-evidence';
const recognizerModelFlag = 'semantic-recognizer-model';

/** The flags that choose the recognizer of speech. */
export const recognizerFlags: FlagTable = {
  [recognizerFlag]: single(
    'NAME',
    'unavailable',
    'the recognizer of speech: unavailable; pocketsphinx, English, on this machine; whisper-cli, on this machine, with a model file of yours; or openai for a server behind the interface of OpenAI',
  ),
  [recognizerPermissionFlag]: toggle(
    `allows --${recognizerFlag} other than unavailable, and requires it; with openai the sound of speech may leave this machine, and answers may cost money`,
  ),
  [recognizerModelFlag]: single(
    'NAME',
    null,
    `the model: with openai its name, as the server has it; with whisper-cli a file; with pocketsphinx a folder, by default ${POCKETSPHINX_MODEL}`,
  ),
};

const formatFlagName = 'semantic-recognizer-response-format';

/** The flag for the format of a server's answers; a worker uses no server. */
export const responseFormatFlag: FlagTable = {
  [formatFlagName]: single(
    'FORMAT',
    'verbose_json',
    `the answer of the server of --${recognizerFlag} openai: verbose_json, with times of lines and words; or json, text alone, for models without times, such as gpt-4o-transcribe`,
  ),
};

const secondRunFlagName = 'semantic-recognizer-second-run';

/** The flag for a second run over speech; a worker does what its host orders. */
export const secondRunFlag: FlagTable = {
  [secondRunFlagName]: toggle(
    `recognizes each stretch of speech a second time, with more sound around it, and withholds the lines on which the runs differ; takes twice as long; needs --${recognizerFlag}`,
  ),
};

/** True if the host recognizes speech twice. Throws `StartError` without a recognizer. */
export function secondRunOf(given: GivenFlags, recognizer: RecognizerFlags | null): boolean {
  const isGiven = given.has(secondRunFlagName);
  if (isGiven && recognizer === null) {
    throw notAllowed(`--${secondRunFlagName} needs --${recognizerFlag} ${recognizerEngines.join(' or ')}`);
  }
  return isGiven;
}

/** The recognizer of speech, as the flags give it; the server of `openai` is in the environment. */
interface RecognizerFlags {
  readonly engine: RecognizerEngine;
  readonly model: string | null;
  /** With `openai` alone. */
  readonly responseFormat?: ResponseFormat;
}

const notAllowed = (message: string) => new StartError('executor_not_allowed', message);

function recognizerModelOf(engine: RecognizerEngine, given: string | undefined): string | null {
  if (given === undefined) {
    if (engine === 'pocketsphinx') return null;
    throw notAllowed(`--${recognizerFlag} ${engine} needs --${recognizerModelFlag}`);
  }
  if (engine !== 'openai') return absolutePath(given);
  return modelNamed(recognizerModelFlag, given);
}

/** The format in which the server of `openai` answers; undefined for the other engines. */
function responseFormatOf(engine: RecognizerEngine | null, given: GivenFlags) {
  if (engine === 'openai') return { responseFormat: choice(given, formatFlagName, responseFormats) };
  if (!given.has(formatFlagName)) return {};
  throw notAllowed(`--${formatFlagName} needs --${recognizerFlag} openai`);
}

/** The recognizer of a host; null if none is configured. Throws `StartError` unless the flags agree. */
export function recognizerFlagsOf(given: GivenFlags): RecognizerFlags | null {
  const engine = choice(given, recognizerFlag, ['unavailable', ...recognizerEngines]);
  const model = given.single(recognizerModelFlag);
  const isAllowed = given.has(recognizerPermissionFlag);
  if (engine === 'unavailable') {
    if (isAllowed)
      throw notAllowed(`--${recognizerPermissionFlag} needs --${recognizerFlag} ${recognizerEngines.join(' or ')}`);
    if (model !== undefined)
      throw notAllowed(`--${recognizerModelFlag} needs --${recognizerFlag} ${recognizerEngines.join(' or ')}`);
    responseFormatOf(null, given);
    return null;
  }
  if (!isAllowed) throw notAllowed(`--${recognizerFlag} ${engine} needs --${recognizerPermissionFlag}`);
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
export function recognizerNotice(recognizer: RecognizerChoice): string {
  const what = `speech recognition: ${recognizer.engine}`;
  if (recognizer.engine !== 'openai') return `${what}, on this machine`;
  return `${what}, ${askedOf(recognizer.model, recognizer.provider, 'the sound of speech leaves it with every study')}`;
}

/** The options of recognition that conflict with this recognizer, in the place of the one before it. */
export function recognizerLeftovers(engine: string, before: string): readonly string[] {
  const isOff = engine === 'unavailable';
  return [
    ...(engine === before ? [] : [recognizerModelFlag]),
    ...(engine === 'openai' ? [] : [formatFlagName]),
    ...(isOff ? [recognizerPermissionFlag, secondRunFlagName] : []),
  ];
}

const screenTextFlag = 'screen-text';
const screenTextLanguagesFlag = 'screen-text-languages';

// Each takes memory in the process that reads, and makes it slower and less sure of the others.
const mostLanguages = 8;

/** The flags that choose who reads text on the screen. */
export const screenTextFlags: FlagTable = {
  [screenTextFlag]: single(
    'NAME',
    'unavailable',
    'who reads text on the screen: unavailable; or tesseract, on this machine, from packages of npm',
  ),
  [screenTextLanguagesFlag]: single(
    'CODES',
    DEFAULT_LANGUAGES.join('+'),
    'the languages that tesseract reads, by its own codes with + between them; the package @tesseract.js-data/CODE of each must be installed',
  ),
};

/** The reader of text on the screen of a host; null if there is none. Throws `StartError` unless the flags agree. */
export function screenTextOf(given: GivenFlags): ScreenTextChoice | null {
  const engine = choice(given, screenTextFlag, ['unavailable', ...screenTextEngines]);
  const languages = given.single(screenTextLanguagesFlag);
  if (engine === 'unavailable') {
    if (languages === undefined) return null;
    throw new StartError('executor_not_allowed', `--${screenTextLanguagesFlag} needs --${screenTextFlag} tesseract`);
  }
  return { engine, languages: languages === undefined ? DEFAULT_LANGUAGES : codesOf(languages) };
}

function codesOf(text: string): readonly string[] {
  const codes = text.split('+');
  const areCodes = codes.every((code) => /^[a-z]{3}(_[a-z]{3,8})*$/.test(code));
  if (areCodes && codes.length <= mostLanguages && new Set(codes).size === codes.length) return codes;
  throw new StartError(
    'invalid_flags',
    `--${screenTextLanguagesFlag} ${text}: up to ${mostLanguages} codes such as eng+kor`,
  );
}

/** The notice for people if a host reads text on the screen. */
export const screenTextNotice = ({ engine, languages }: ScreenTextChoice): string =>
  `text on the screen: ${engine} with ${languages.join(', ')}, on this machine`;

const translationModelFlag = 'caption-translation-model';
const translationOnceFlag = 'caption-translation-asked-once';

/** The flags that choose who makes captions. */
export const captionFlags: FlagTable = {
  'caption-executor': single(
    'NAME',
    'recorded',
    "the caption executor: recorded never has captions of a new study; embedded-subtitles takes them from the media's own subtitle tracks; grouped-subtitles takes them from tracks that split their sentences differently; subtitles-translated takes these tracks and, if none is in the target language, a model translates; recognized takes them from the recognized speech; recognized-translated takes the recognized speech and a model translates; deterministic-test writes fixed texts for tests of clients",
  ),
  'allow-deterministic-caption-test-seam': toggle('allows --caption-executor deterministic-test, and requires it'),
  'allow-embedded-subtitle-captions': toggle(
    'allows --caption-executor embedded-subtitles or grouped-subtitles, and requires one of them; no model, no network',
  ),
  'allow-recognized-captions': toggle(
    'allows --caption-executor recognized, and requires it: words of a recognizer become captions; studies have some with --semantic-recognizer',
  ),
  'allow-real-caption-production': toggle(
    'allows --caption-executor subtitles-translated or recognized-translated, and requires one of them; the text may leave this machine, and answers may cost money',
  ),
  [translationModelFlag]: single(
    'NAME',
    null,
    'the model that translates, as its server names it; requires --caption-executor subtitles-translated or recognized-translated',
  ),
  [translationOnceFlag]: toggle(
    'translates each line once, which takes less than half of the tokens; lines that the model exchanged or merged with others may then pass; requires --caption-executor subtitles-translated or recognized-translated',
  ),
};

interface CaptionChoice {
  readonly classification: CaptionClassification;
  /** The switch without which a host does not start with this executor; null for the default. */
  readonly permission: string | null;
  /** How the line on stdout names it. */
  readonly announced: string;
}

/** The caption executor of a host, and the model that translates; null if there is none. */
interface ChosenCaptions extends CaptionChoice {
  readonly model: string | null;
  /** True if the model translates each line once, and not a second time for comparison. */
  readonly isAskedOnce: boolean;
}

/** Every value of `--caption-executor`, the default first. */
const choices: Readonly<Record<string, CaptionChoice>> = {
  recorded: {
    classification: 'recorded_real_pipeline_fixture',
    permission: null,
    announced: 'recorded-real-pipeline-fixture-adapter',
  },
  'deterministic-test': {
    classification: 'deterministic_current_run_test_seam',
    permission: 'allow-deterministic-caption-test-seam',
    announced: 'deterministic-current-run-test-seam-no-cognition',
  },
  'embedded-subtitles': {
    classification: 'embedded_subtitle_tracks',
    permission: 'allow-embedded-subtitle-captions',
    announced: 'embedded-subtitle-tracks-no-model',
  },
  'grouped-subtitles': {
    classification: 'grouped_subtitle_tracks',
    permission: 'allow-embedded-subtitle-captions',
    announced: 'grouped-subtitle-tracks-no-model',
  },
  'subtitles-translated': {
    classification: 'subtitle_tracks_translated',
    permission: 'allow-real-caption-production',
    announced: 'subtitle-tracks-translator-opt-in',
  },
  recognized: {
    classification: 'recognised_transcript',
    permission: 'allow-recognized-captions',
    announced: 'recognised-transcript-same-language',
  },
  'recognized-translated': {
    classification: 'recognised_transcript_translated',
    permission: 'allow-real-caption-production',
    announced: 'recognised-transcript-translator-opt-in',
  },
};

/** The options of captions that conflict with this executor. */
export function captionLeftovers(executor: string): readonly string[] {
  const { permission = null, classification } = choices[executor] ?? {};
  const permissions = Object.values(choices).flatMap((choice) => choice.permission ?? []);
  const translates = classification !== undefined && isTranslating({ classification });
  return [
    ...new Set(permissions.filter((other) => other !== permission)),
    ...(translates ? [] : [translationModelFlag, translationOnceFlag]),
  ];
}

/**
 * The caption executor of a host. Throws `StartError` for one that is unknown or not allowed, and for a permission without its
 * executor.
 */
export function chosenCaptionExecutor(given: GivenFlags): ChosenCaptions {
  const name = given.single('caption-executor') ?? 'recorded';
  const choice = Object.hasOwn(choices, name) ? choices[name] : undefined;
  if (choice === undefined) {
    throw new StartError('invalid_flags', `--caption-executor ${name}: one of ${Object.keys(choices).join(', ')}`);
  }
  if (choice.permission !== null && !given.has(choice.permission)) {
    throw new StartError('executor_not_allowed', `--caption-executor ${name} needs --${choice.permission}`);
  }
  for (const { permission } of Object.values(choices)) {
    if (permission === null || permission === choice.permission || !given.has(permission)) continue;
    const others = Object.keys(choices).filter((other) => choices[other]?.permission === permission);
    throw new StartError('executor_not_allowed', `--${permission} needs --caption-executor ${others.join(' or ')}`);
  }
  const isAskedOnce = given.has(translationOnceFlag);
  const model = translationModelOf(name, choice, given.single(translationModelFlag));
  if (isAskedOnce && model === null) {
    throw new StartError('executor_not_allowed', `--${translationOnceFlag} needs ${translatingExecutors}`);
  }
  return { ...choice, model, isAskedOnce };
}

const translatingExecutors = '--caption-executor subtitles-translated or recognized-translated';

function translationModelOf(name: string, { classification }: CaptionChoice, model: string | undefined): string | null {
  const translates = isTranslating({ classification });
  if (translates && model === undefined)
    throw new StartError('executor_not_allowed', `--caption-executor ${name} needs --${translationModelFlag}`);
  if (model === undefined) return null;
  if (!translates)
    throw new StartError('executor_not_allowed', `--${translationModelFlag} needs ${translatingExecutors}`);
  return modelNamed(translationModelFlag, model);
}

/** The translator with the server that the environment names. Throws `StartError`, never with the key or the address in it. */
export function translatorOf(
  { model, isAskedOnce }: ChosenCaptions,
  environment: Readonly<Record<string, string | undefined>>,
): HostOptions['translator'] {
  if (model === null) return null;
  return { provider: providerOf(environment, 'invalid_translation_provider'), model, isAskedOnce };
}

/** The notice for people if a host translates. */
export function translatorNotice({ provider, model }: NonNullable<HostOptions['translator']>): string {
  return `caption translation: ${askedOf(model, provider, 'the text of captions leaves it with every production')}`;
}

const explainerFlag = 'language-explanation-executor';
const explainerPermissionFlag = 'allow-real-language-explanation';
const explainerModelFlag = 'language-explanation-model';

/** The flags that choose who explains lines of captions. */
export const explainerFlags: FlagTable = {
  [explainerFlag]: single(
    'NAME',
    'unavailable',
    'the language explanation executor: unavailable, or openai for a model behind the interface of OpenAI',
  ),
  [explainerPermissionFlag]: toggle(
    `allows --${explainerFlag} openai, and requires it; caption text may leave this machine, and answers may cost money`,
  ),
  [explainerModelFlag]: single('NAME', null, `the model, as its server names it; requires --${explainerFlag} openai`),
};

/** The model that explains on a host; null where no explanation executor is configured. Throws `StartError` unless all three flags agree. */
export function explainerModel(given: GivenFlags): string | null {
  const executor = choice(given, explainerFlag, ['unavailable', 'openai']);
  const model = given.single(explainerModelFlag);
  const isAllowed = given.has(explainerPermissionFlag);
  if (executor === 'unavailable') {
    if (isAllowed) throw notAllowed(`--${explainerPermissionFlag} needs --${explainerFlag} openai`);
    if (model !== undefined) throw notAllowed(`--${explainerModelFlag} needs --${explainerFlag} openai`);
    return null;
  }
  if (!isAllowed) throw notAllowed(`--${explainerFlag} openai needs --${explainerPermissionFlag}`);
  if (model === undefined) throw notAllowed(`--${explainerFlag} openai needs --${explainerModelFlag}`);
  return modelNamed(explainerModelFlag, model);
}

/** The model with the provider that the environment names. Throws `StartError`, never with the key or the address in it. */
export function explainerOf(
  model: string | null,
  environment: Readonly<Record<string, string | undefined>>,
): HostOptions['explainer'] {
  return model === null ? null : { provider: providerOf(environment, 'invalid_explanation_provider'), model };
}

/** How the line on stdout names the explanation executor. */
export const announcedExplainer = (model: string | null): string =>
  model === null ? 'unavailable-no-fixture-fallback' : `current-run-openai-opt-in:${model}`;

/** The notice for people if a host explains. */
export function explainerNotice({ provider, model }: NonNullable<HostOptions['explainer']>): string {
  return `language explanations: ${askedOf(model, provider, 'caption text leaves it with every explanation')}`;
}
