/** The engines that can fail in the middle of their work: recognizers, the reader of the screen, and the translating server. */
export const failingEngines = ['openai', 'whisper-cli', 'pocketsphinx', 'tesseract', 'translation'] as const;
export type FailingEngine = (typeof failingEngines)[number];

/** A failure of an engine: the HTTP status and the words of a server, if there are any. */
export interface EngineFault {
  readonly engine: FailingEngine;
  readonly status?: number | undefined;
  /** One line, cut, and without a key. Its words are those of another program: people see them, and nothing reads them. */
  readonly said?: string | undefined;
}

/** The most characters that are kept of the words of an engine. */
export const maximumSaid = 120;

/** How a reader types a command of this program, which differs between a checkout, a package and an installed program. */
export interface Commands {
  readonly command: (words: string) => string;
}

type Said = (fault: EngineFault, commands: Commands) => string;

interface EngineFailureText {
  readonly what: Said;
  readonly remedies: { readonly terminal: string | Said; readonly page: string | Said };
}

const names: Readonly<Record<FailingEngine, string>> = {
  openai: 'the transcription server',
  'whisper-cli': 'whisper-cli',
  pocketsphinx: 'pocketsphinx',
  tesseract: 'the reader of the screen',
  translation: 'the translation server',
};

const offers = ({ engine }: EngineFault): string =>
  engine === 'translation' ? 'no chat completions' : 'no transcription';

const isServer = ({ engine }: EngineFault): boolean => engine === 'openai' || engine === 'translation';

/** The words of a server behind those of the host. */
const quoted = ({ said }: EngineFault): string => (said === undefined ? '' : `: it said “${said}”`);

const numbered = ({ status }: EngineFault): string => (status === undefined ? '' : ` (status ${status})`);

const saying =
  (words: string): Said =>
  (fault) =>
    `${names[fault.engine]} ${words}${numbered(fault)}${quoted(fault)}`;

const address = {
  terminal: (_: EngineFault, { command }: Commands) =>
    `correct the address of the server: ${command('settings set model-server=URL')}`,
  page: 'correct “Model server” among all settings',
} as const;

const modelSetting = ({ engine }: EngineFault): string =>
  engine === 'translation' ? 'caption-translation-model' : 'semantic-recognizer-model';

const modelField = ({ engine }: EngineFault): string =>
  engine === 'translation' ? '“Caption translation model”' : '“Semantic recognizer model”';

const anotherModel = {
  terminal: (fault: EngineFault, { command }: Commands) =>
    isServer(fault)
      ? `load the model into the server, or name another one: ${command(`settings set ${modelSetting(fault)}=NAME`)}`
      : `name a whole model file: ${command(`settings set ${modelSetting(fault)}=FILE`)}`,
  page: (fault: EngineFault) =>
    isServer(fault)
      ? `load the model into the server, or name another one as ${modelField(fault)} among all settings`
      : `name a whole model file as ${modelField(fault)} among all settings`,
} as const;

const key = {
  terminal: 'put the key of this server into OPENAI_API_KEY, and start the host again',
  page: 'start the host again with the key of this server in its environment',
} as const;

const laterAgain = { terminal: 'run the command again later', page: 'try again later' } as const;

const logOf = ({ engine }: EngineFault, rest: string): string =>
  engine === 'openai' ? `look at the log of the server, and try again; ${rest}` : 'look at its log, and try again';

const withoutTimes = 'settings set semantic-recognizer-response-format=json';

const lookAtLog = {
  terminal: (fault: EngineFault, { command }: Commands) =>
    logOf(fault, `a model without times needs: ${command(withoutTimes)}`),
  page: (fault: EngineFault) =>
    logOf(fault, 'a model without times needs json as “Semantic recognizer response format”, among all settings'),
} as const;

const jsonFormat = {
  terminal: (_: EngineFault, { command }: Commands) => `set the format without times: ${command(withoutTimes)}`,
  page: 'choose json as “Semantic recognizer response format” among all settings',
} as const;

const otherServer = {
  terminal: (_: EngineFault, { command }: Commands) =>
    `name a server that speaks the interface of OpenAI: ${command('settings set model-server=URL')}`,
  page: 'name a server that speaks the interface of OpenAI as “Model server” among all settings',
} as const;

const studyAgain = { terminal: 'run the command again', page: 'study the range again' } as const;

const anotherEngine = {
  terminal: 'declare the spoken language with a code that the recognizer has, or use another recognizer',
  page: 'choose another spoken language in a new study, or another recognizer in Operations',
} as const;

/** Every way in which an engine fails, in words, and its remedies. A code is also the second word of stored messages. */
export const engineFailureTexts = {
  engine_path_missing: {
    what: (fault) =>
      `${names[fault.engine]} has ${offers(fault)} at this address${fault.said === undefined ? ', or no such model' : ''}${numbered(fault)}${quoted(fault)}`,
    remedies: address,
  },
  engine_model_missing: { what: saying('does not have the model'), remedies: anotherModel },
  engine_key_refused: { what: saying('wants a key, or another one'), remedies: key },
  engine_forbidden: { what: saying('does not allow the request'), remedies: key },
  engine_request_refused: { what: saying('refused the request'), remedies: lookAtLog },
  engine_format_refused: { what: saying('gives no times with this model'), remedies: jsonFormat },
  engine_language_unknown: { what: saying('does not have the language of the study'), remedies: anotherEngine },
  engine_error: { what: saying('failed'), remedies: lookAtLog },
  engine_busy: { what: saying('has too much to do'), remedies: laterAgain },
  engine_late: {
    what: saying('gave no answer in time'),
    remedies: {
      terminal: 'use a smaller model, or try again when this machine has less to do',
      page: 'use a smaller model, or try again when this machine has less to do',
    },
  },
  engine_unreachable: {
    what: saying('cannot be reached'),
    remedies: {
      terminal: (_, { command }) =>
        `start the server, or correct its address: ${command('settings set model-server=URL')}`,
      page: 'start the server, or correct “Model server” among all settings',
    },
  },
  engine_redirected: {
    what: saying('redirects to another address, which the host does not follow'),
    remedies: address,
  },
  engine_answered_text: { what: saying('answered with plain text and not with JSON'), remedies: otherServer },
  engine_answered_events: { what: saying('answered with a stream of events and not with JSON'), remedies: otherServer },
  engine_answered_page: { what: saying('answered with a page for browsers and not with JSON'), remedies: otherServer },
  engine_answered_other_json: { what: saying('answered with JSON of another shape'), remedies: otherServer },
  engine_answer_impossible: {
    what: saying('gave an answer that cannot be true'),
    remedies: {
      terminal: 'correct the recognizer, or use another one',
      page: 'use another recognizer, in Operations',
    },
  },
  engine_answer_too_large: { what: saying('gave an answer that is too long'), remedies: laterAgain },
  engine_model_broken: {
    what: saying('cannot load its model, which is cut off or in another format'),
    remedies: anotherModel,
  },
  engine_stopped: {
    what: saying('ended without an answer'),
    remedies: {
      terminal: 'try its program by itself on this machine; a broken model or installation ends it',
      page: 'try its program by itself on the computer of the host; a broken model or installation ends it',
    },
  },
  engine_gone: {
    what: saying('is not on this machine, or its model is not'),
    remedies: {
      terminal: (_, { command }) => `install it again, or correct its settings: ${command('settings show')}`,
      page: 'install it again on the computer of the host, or correct its settings in Operations',
    },
  },
  engine_changed: { what: saying('or its model has changed during the study'), remedies: studyAgain },
  engine_not_permitted: {
    what: saying('gets nothing more, because its permission was withdrawn'),
    remedies: {
      terminal: (_, { command }) =>
        `permit it again, and run the command again: ${command('settings set permit-server=URL')}`,
      page: 'permit it again where the captions are made',
    },
  },
  sound_unreadable: {
    what: () => 'the sound of the film cannot be read there',
    remedies: {
      terminal: 'convert the film, and study the copy',
      page: 'convert the film, and add the copy',
    },
  },
} as const satisfies Readonly<Record<string, EngineFailureText>>;

export type EngineFailureCode = keyof typeof engineFailureTexts;

export const engineFailureCodes = Object.keys(engineFailureTexts) as [EngineFailureCode, ...EngineFailureCode[]];

export const isEngineFailure = (code: string): code is EngineFailureCode => Object.hasOwn(engineFailureTexts, code);

/** Failures that may pass by themselves: the same work may succeed later. */
export const passingFailures: readonly EngineFailureCode[] = ['engine_busy', 'engine_late', 'engine_error'];

/** The cause of a refusal by its HTTP status alone. */
export function refusalCodeOf(status: number): EngineFailureCode {
  if (status === 401) return 'engine_key_refused';
  if (status === 403) return 'engine_forbidden';
  if (status === 404) return 'engine_path_missing';
  if (status === 429 || status === 503) return 'engine_busy';
  return status >= 400 && status < 500 ? 'engine_request_refused' : 'engine_error';
}

/** The words of an engine at the end of a message of the host. */
export const withSaid = (sentence: string, said: string | null): string =>
  said === null ? sentence : `${sentence} (it said “${said}”)`;
