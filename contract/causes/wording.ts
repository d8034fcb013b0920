import type { UnkeptLook } from '../evidence/evidence.ts';
import { subtitleCodecName } from '../sources/subtitle-codecs.ts';
import type { Cause, CauseCode, CauseWith, StepCause } from './causes.ts';
import {
  type Commands,
  type EngineFailureCode,
  type EngineFault,
  engineFailureTexts,
  isEngineFailure,
  passingFailures,
} from './engine-failures.ts';
import { type FailedWork, type FailureCode, failureTexts, isFailure, otherFailures } from './failures.ts';
import { isReason, type ReasonCode, reasonTexts } from './reasons.ts';

/** A person at the terminal, a person with the page, or an agent with its tools. */
export type Reader = 'terminal' | 'page' | 'agent';

/** The spelling of params and of commands for a reader. */
export interface Spelling extends Commands {
  readonly language: (tag: string) => string;
  readonly length: (ms: number) => string;
  /** The text of one side of captions, in the singular; by default the original and the translation. */
  readonly side?: (side: 'source' | 'target') => string;
}

/** A side of captions in two languages. */
const sideNames = { source: 'the original', target: 'the translation' } as const;

/** The spelling of the texts of the wire, for programs, terminals and agents. */
export const plainSpelling: Required<Spelling> = {
  language: (tag) => tag,
  length: (ms) => `${ms} ms`,
  side: (side) => sideNames[side],
  command: (words) => `media-study ${words}`,
};

/** A place of the page that a remedy leads to. */
export type PagePlace = 'operations' | 'library' | 'subtitles';

/** A cause in the words of a reader: each one clause, without capital or full stop. */
export interface CauseText {
  /** The event and its meaning. */
  readonly what: string;
  /** The remedy; null if the reader can do nothing, or need not. */
  readonly remedy: string | null;
  /** The part of the page that has what the remedy names. */
  readonly at: PagePlace | null;
}

type Joint = '; ' | ': ';
type Said<Params> = string | ((params: Params, spelling: Required<Spelling>) => string);

interface Wording<Params> {
  readonly what: Said<Params>;
  /** The same for the page, which speaks of films and not of media. */
  readonly pageWhat?: Said<Params>;
  /** The remedy in the terms of each reader: a flag or a command, a part of the page, a tool. */
  readonly remedies?: { readonly [reader in Reader]: Said<Params> | null };
  readonly at?: PagePlace;
  /** The mark before the remedy in texts of the wire; absent if these have no remedy. */
  readonly joint?: Joint | ((params: Params) => Joint | null);
}

type Wordings = {
  readonly [Code in Exclude<CauseCode, ReasonCode | FailureCode | EngineFailureCode>]: Wording<
    CauseWith<Code>['params']
  >;
};

/** A moment of a film in whole seconds, such as `2:19`. */
function momentText(ms: number): string {
  const [minutes, seconds] = [Math.floor(Math.round(ms / 1000) / 60), Math.round(ms / 1000) % 60];
  const rest = String(seconds).padStart(2, '0');
  return minutes < 60
    ? `${minutes}:${rest}`
    : `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}:${rest}`;
}

const either = (languages: readonly string[], { language }: Spelling, word: string): string =>
  languages.map(language).join(` ${word} `);

const inTheHandsOfAPerson = 'only a person can change this: tell them';
const anotherStudy = 'start_study with a name as `again` studies the range once more';

type EngineKind = CauseWith<'engine_off'>['params']['engine'];

const engineFlags: Readonly<Record<EngineKind, string>> = {
  recognizer: 'start the host with --semantic-recognizer',
  screen_text: 'start the host with --screen-text',
  captions: 'start the host with --caption-executor',
  caption_translation: 'start the host with --caption-executor subtitles-translated or recognized-translated',
  explanations: 'start the host with --language-explanation-executor',
  video_hosts: 'install yt-dlp, or name it by MEDIA_STUDY_YTDLP',
};

const engineParts: Readonly<Record<EngineKind, string>> = {
  recognizer: 'use “Speech recognition” under Engines and settings',
  screen_text: 'use “Text on the screen” under Engines and settings',
  captions: 'use “Captions from subtitle tracks” under Engines and settings',
  caption_translation: 'use “Translation of captions” under Engines and settings',
  explanations: 'choose “Language explanation executor” among all settings',
  video_hosts: 'install yt-dlp on the computer of the host, and restart the host',
};

const installations: Readonly<
  Record<CauseWith<'engine_missing'>['params']['engine'], (languages: readonly string[]) => string>
> = {
  pocketsphinx: () => 'install it: apt-get install pocketsphinx pocketsphinx-en-us',
  'whisper-cli': () => 'install whisper.cpp and put whisper-cli on PATH',
  tesseract: (languages) =>
    `npm install --ignore-scripts tesseract.js@7.0.0 ${languages.map((code) => `@tesseract.js-data/${code}@1.0.0`).join(' ')}, beside this package`,
};

/** The ways to text for a film without it. */
const textOrSpeech = {
  remedies: {
    terminal: (_: object, { command }: Spelling) =>
      `attach a subtitle file by ${command('subtitles SOURCE FILE:TAG')}, or have the speech recognized by ${command('caption FILM')}`,
    page: 'attach a subtitle file, or have the speech recognized',
    agent: 'a person can attach a subtitle file: media-study subtitles SOURCE FILE',
  },
  at: 'subtitles',
} as const;

const studiedAgain = { terminal: 'study the range again', page: 'study the range again', agent: anotherStudy };

/** The parts of the look of a line that captions do not have. */
const unkeptLookWords: Readonly<Record<UnkeptLook, (cues: number) => string>> = {
  color: (cues) => `${counted(cues, 'line has', 'lines have')} colors, which captions do not have`,
  speaker: (cues) =>
    `${counted(cues, 'line names its', 'lines name their')} speaker beside the text, and captions do not`,
  place: (cues) => `${counted(cues, 'line has', 'lines have')} an exact place or size, and captions one of nine places`,
  vertical: (cues) => `${counted(cues, 'line is', 'lines are')} vertical, and horizontal in captions`,
};

/** The reference of a comparison. */
const references = { sound: 'the speech', other_side: 'the other language' } as const;

const limited = {
  lines: (found: number) => `${found} lines`,
  source_text: (found: number) => `${found} bytes of text in the original`,
  target_text: (found: number) => `${found} bytes of text in the translation`,
} as const;

const counted = (number: number, one: string, many: string): string => `${number} ${number === 1 ? one : many}`;

/** The rate of lines whose time times `numerator` by `denominator` is that of the film: `4.3 % slower`. */
export function rateText(numerator: number, denominator: number): string {
  const percent = Math.abs(denominator / numerator - 1) * 100;
  return `${percent.toFixed(1)} % ${numerator < denominator ? 'slower' : 'faster'}`;
}

const unknownTimings = {
  no_speech: 'no speech was found',
  too_few_cues: 'there are too few lines to tell',
  no_better_than_chance: 'the lines fit it no better than by chance',
  part_does_not_fit: 'some of the lines do not fit',
  pieces_unproven: 'the lines seem to be of another cut of the film',
} as const;

type MuxParams = CauseWith<'codec_not_in_container'>['params'];

const someOther = ({ others }: MuxParams): string | null =>
  others.length === 0 ? null : `name a file that ends in ${others.join(' or ')}`;

/** The containers that hold all of a film. */
const otherContainer = {
  terminal: (params: MuxParams) => someOther(params) ?? 'no container holds both',
  page: (params: MuxParams) => someOther(params) ?? 'no container holds both',
  agent: inTheHandsOfAPerson,
};

/** The suggested fix for subtitles whose times are wrong or unknown. */
const otherSubtitles = {
  terminal: (_: object, { command }: Spelling) =>
    `compare a line with the film, or use other subtitles: ${command('caption FILM --subtitles FILE:TAG')}`,
  page: 'compare a line with the film, or attach other subtitles',
  agent: 'a person can compare a line with the film, or attach other subtitles',
};

/** The same for subtitles that are known to be off: their times can be moved to the speech. Those of a side to the other one cannot. */
const movedSubtitles = {
  terminal: ({ against }: { readonly against: 'sound' | 'other_side' }, spelling: Spelling) =>
    against === 'sound'
      ? `move them to the speech: ${spelling.command('subtitles fix FILM')}; or use other subtitles: ${spelling.command('caption FILM --subtitles FILE:TAG')}`
      : otherSubtitles.terminal({}, spelling),
  page: ({ against }: { readonly against: 'sound' | 'other_side' }) =>
    against === 'sound' ? 'move these subtitles to the speech under Review, or attach other ones' : otherSubtitles.page,
  agent: ({ against }: { readonly against: 'sound' | 'other_side' }) =>
    against === 'sound' ? 'a person can move them to the speech, with subtitles fix' : otherSubtitles.agent,
};

/** A failed step is repeated by another study, and its engine has to be mended first. */
function mendedFirst(cause: StepCause | undefined, reader: Reader, spelling: Spelling): string {
  const remedy = cause === undefined ? null : causeText(cause, reader, spelling).remedy;
  const again = studiedAgain[reader];
  return remedy === null || remedy === again ? again : `${remedy}; then ${again}`;
}

const wordings: Wordings = {
  no_caption_executor: {
    what: 'this host does not make captions',
    pageWhat: 'captions are off on this host',
    remedies: {
      terminal:
        'restart it with --caption-executor grouped-subtitles --allow-embedded-subtitle-captions for subtitle tracks, or --caption-executor recognized --allow-recognized-captions for recognized speech',
      page: 'choose a way to captions in a new study, or in the captions of a study',
      agent: 'read_caption_methods has the methods of a study, and produce_captions makes captions by one',
    },
    joint: '; ',
  },
  source_language_not_declared: {
    what: ({ of }) =>
      of === 'study'
        ? 'captions need a study of one declared source language'
        : 'captions need one declared source language',
    pageWhat: 'the spoken language was not chosen',
    remedies: {
      terminal: 'study it again with --language TAG',
      page: ({ of }) => (of === 'study' ? 'choose it in a new study' : 'choose the spoken language'),
      agent: 'start_study with the spoken language as `language`',
    },
  },
  range_too_long: {
    what: ({ lengthMs, limitMs }, { length }) =>
      `captions are made of at most ${length(limitMs)}, the study has ${length(lengthMs)}`,
    pageWhat: ({ lengthMs, limitMs }, { length }) =>
      `captions cover at most ${length(limitMs)} on this host, and the study has ${length(lengthMs)}`,
    remedies: {
      terminal: ({ lengthMs, limitMs, mostMs }) =>
        lengthMs > mostMs
          ? `study at most ${limitMs} ms of it`
          : `restart the host with --maximum-caption-range-ms ${lengthMs}, or study at most ${limitMs} ms of it`,
      page: ({ lengthMs, mostMs }) =>
        lengthMs > mostMs
          ? 'study a shorter range'
          : 'raise “Maximum caption range” in Operations, or study a shorter range',
      agent: ({ limitMs }) => `start_study with a range of at most ${limitMs} ms`,
    },
    at: 'operations',
    joint: ': ',
  },
  no_translator: {
    what: ({ of, from, to, found }, spelling) => {
      if (of === 'transcript') return `the executor does not translate from ${from} to ${to}`;
      return of === 'speech'
        ? `the captions of this host are in the language that is spoken: it does not translate from ${from} to ${to}`
        : `the captions of this host are made of text tracks in ${from} and ${to}, the source has ${found.map(spelling.language).join(', ')}, and the host does not translate`;
    },
    pageWhat: ({ from, to }, { language }) => `this host has no translator from ${language(from)} to ${language(to)}`,
    remedies: {
      terminal: ({ from }) =>
        `study the range with the target language ${from}, or start the host with --caption-executor recognized-translated`,
      page: ({ from }, { language }) =>
        `set one up in Operations, or choose captions in ${language(from)} in a new study`,
      agent: ({ from }) => `start_study with targetLanguage ${from}, or ask a person for a translator`,
    },
    at: 'operations',
    joint: ({ of }) => (of === 'transcript' ? ': ' : null),
  },
  subtitles_are_pictures: {
    what: ({ codecs }) =>
      `its subtitles are pictures (${codecs.map(subtitleCodecName).join(', ')}), which have no words to read`,
    ...textOrSpeech,
  },
  subtitle_format_not_read: {
    what: ({ codecs }) =>
      `its subtitles are in a format that is not read (${codecs.map(subtitleCodecName).join(', ')})`,
    ...textOrSpeech,
  },
  captions_in_the_picture: {
    what: 'its captions are in the video itself (CEA-608 or 708), and are not read there',
    ...textOrSpeech,
  },
  subtitles_in_other_script: {
    what: ({ asked, found }, { language }) =>
      `its subtitles are in ${language(found)}, which is not taken for ${language(asked)}`,
    remedies: {
      terminal: ({ found }) => `ask for ${found} by its own tag, or attach another subtitle file`,
      page: ({ found }, { language }) => `choose ${language(found)}, or attach another subtitle file`,
      agent: ({ found }) => `start_study with ${found} as the language; a person can attach another subtitle file`,
    },
    at: 'subtitles',
  },
  subtitles_of_other_language: {
    what: ({ asked, found }, { language }) =>
      `its subtitles are marked as ${language(asked)}, but their text is in ${found === null ? 'another language or script' : language(found)}`,
    ...textOrSpeech,
  },
  method_does_not_translate: {
    what: ({ from, to }) => `this way gives captions in ${from} alone: it does not translate to ${to}`,
    pageWhat: ({ from, to }, { language }) =>
      `this way gives captions in ${language(from)} alone: it does not translate to ${language(to)}`,
    remedies: {
      terminal: ({ to }, { command }) =>
        `attach a subtitle file in ${to} by ${command(`subtitles SOURCE FILE:${to}`)}, or use a method that translates`,
      page: ({ to }, { language }) => `attach a subtitle file in ${language(to)}, or choose a way that translates`,
      agent: 'use a method that translates; a person can attach a subtitle file',
    },
    at: 'subtitles',
  },
  no_line_with_both_texts: {
    what: ({ languages }, spelling) =>
      `no line of the subtitle tracks has a text in ${either(languages, spelling, 'and')}`,
    pageWhat: ({ languages }, spelling) => `no subtitle has a text in ${either(languages, spelling, 'and')}`,
    remedies: {
      terminal: (_, { command }) =>
        `attach another subtitle file by ${command('subtitles SOURCE FILE:TAG')}, or use another method`,
      page: 'attach another subtitle file, or choose another way',
      agent: 'use another method; a person can attach another subtitle file',
    },
    at: 'subtitles',
  },
  recognition_not_asked: {
    what: 'the study was started without recognition',
    pageWhat: 'the speech of this study was not to be recognized',
    remedies: {
      terminal: 'study the range again with recognition',
      page: 'study the range again with recognition',
      agent: anotherStudy,
    },
  },
  no_text_tracks: {
    what: 'the captions of this host are made of text tracks, and the source has none',
    pageWhat: 'this film has no subtitles as text',
    ...textOrSpeech,
  },
  no_text_track_in_language: {
    what: ({ wanted, found }, spelling) =>
      `the captions of this host are made of text tracks in ${either(wanted, spelling, 'and')}, and the source has ${found.map(spelling.language).join(', ')}`,
    pageWhat: ({ wanted, found }, spelling) =>
      `captions need subtitles in ${either(wanted, spelling, 'and')}, and this film has ${either(found, spelling, 'and')}`,
    remedies: {
      terminal: (_, { command }) =>
        `attach a subtitle file by ${command('subtitles SOURCE FILE:TAG')}, or choose other languages`,
      page: 'choose other languages, or attach a subtitle file',
      agent: 'choose other languages; a person can attach a subtitle file',
    },
    at: 'subtitles',
  },
  no_recognizer: {
    what: 'the captions of this host are made of recognized speech, and it was started without --semantic-recognizer',
    pageWhat: 'this host makes captions of recognized speech, and has no speech recognizer',
    remedies: {
      terminal: (_, { command }) =>
        `${command('caption FILM')} uses a recognizer of this machine, or names the settings for one`,
      page: 'set up speech recognition in Operations',
      agent: inTheHandsOfAPerson,
    },
    at: 'operations',
  },
  declared_language_differs: {
    what: ({ declared, found, basis }) =>
      `the request declares ${declared.join(', ')}, ${basis === 'detected' ? 'the detector found' : 'the container states'} ${found.join(', ')}`,
    pageWhat: ({ declared, found, basis }, spelling) =>
      `you chose ${either(declared, spelling, 'and')}, and ${basis === 'detected' ? 'the speech is in' : 'the file names'} ${either(found, spelling, 'and')}`,
  },
  codec_may_not_play: {
    what: ({ codecs, container }) =>
      `a browser may not play ${codecs.length === 0 ? `the container ${container.join(', ')}` : `the codec ${codecs.join(', ')}`}`,
  },
  codec_not_in_container: {
    what: ({ track, codec, container }) =>
      `a ${container} file takes no ${codec}, which track ${track} of the film is in`,
    remedies: otherContainer,
  },
  subtitles_not_in_container: {
    what: ({ track, codec, container }) =>
      `the subtitles of track ${track} will be missing: a ${container} file takes no ${codec}`,
    remedies: otherContainer,
  },
  media_incomplete: {
    what: ({ longer }, { length }) =>
      longer === undefined
        ? 'the file holds less than its container states'
        : `the container states ${length(longer.statedMs)}, and the file holds ${length(longer.heldMs)}: all of it is used`,
    pageWhat: ({ longer }, { length }) =>
      longer === undefined
        ? 'the file is shorter than it says'
        : `the file says that it lasts ${length(longer.statedMs)}, and it lasts ${length(longer.heldMs)}: all of it is used`,
  },
  speech_will_be_recognised: {
    what: ({ engine, atMostMs, studies }, { length }) =>
      `${engine} will transcribe the speech; at the speed ${studies === 1 ? 'of the last study' : `of the last ${studies} studies`} this takes up to ${length(atMostMs)}`,
    pageWhat: ({ atMostMs }, { length }) => `recognizing the speech may take up to ${length(atMostMs)}`,
  },
  screen_text_will_be_read: {
    what: ({ engine, languages, pictures }) =>
      `text on the screen will be read by ${engine} with ${languages.join(', ')}, in up to ${pictures} pictures and those of the keyframes`,
  },
  engine_off: {
    what: 'it is off',
    remedies: {
      terminal: ({ engine }) => engineFlags[engine],
      page: ({ engine }) => engineParts[engine],
      agent: inTheHandsOfAPerson,
    },
  },
  engine_missing: {
    what: 'it is not installed',
    remedies: {
      terminal: ({ engine, languages }) => installations[engine](languages),
      page: ({ engine }) => `install ${engine} on the computer of the host, and open this page again`,
      agent: inTheHandsOfAPerson,
    },
  },
  model_file_missing: {
    what: 'it lacks a model file',
    remedies: {
      terminal: 'set semantic-recognizer to whisper-cli and semantic-recognizer-model to the path of a model file',
      page: 'choose whisper-cli as “Semantic recognizer” and give the path of a model file as “Semantic recognizer model”, among all settings',
      agent: inTheHandsOfAPerson,
    },
  },
  model_missing: {
    what: 'the server has no model',
    remedies: {
      terminal: 'load a model into the server',
      page: 'load a model into the server',
      agent: inTheHandsOfAPerson,
    },
  },
  no_model_server: {
    what: 'no model server answers on this machine',
    remedies: {
      terminal: (_, { command }) =>
        `start a server that speaks the interface of OpenAI, such as Ollama, or name one: ${command('settings set model-server=URL')}`,
      page: 'start a server that speaks the interface of OpenAI, such as Ollama, or give its address as “Model server” among all settings',
      agent: inTheHandsOfAPerson,
    },
  },
  no_lines_of_this_run: {
    what: 'the executor has nothing of this runtime',
    pageWhat: 'nothing was made of this study',
  },
  no_text_track: {
    what: ({ languages }, spelling) =>
      `the media has no text track in ${either(languages, spelling, 'or')} that can be read`,
    pageWhat: ({ languages }, spelling) => `this film has no subtitles in ${either(languages, spelling, 'or')}`,
    ...textOrSpeech,
  },
  no_cue_in_range: {
    what: ({ languages }, spelling) => `no cue in ${either(languages, spelling, 'or')} lies in the range of the study`,
    pageWhat: ({ languages }, spelling) => `no subtitle in ${either(languages, spelling, 'or')} lies in this range`,
    remedies: {
      terminal: 'study another range',
      page: 'choose another range in a new study',
      agent: 'start_study with another range',
    },
  },
  not_recognised: {
    what: 'the study was accepted by a host without a recognizer',
    pageWhat: 'the speech of this study was not recognized',
    remedies: {
      terminal: 'study the range again with one',
      page: 'set up speech recognition in Operations, and study the range again',
      agent: anotherStudy,
    },
    at: 'operations',
    joint: ': ',
  },
  nothing_recognised: {
    what: ({ reason, cause }, spelling) =>
      `the study has no transcript: ${reason}${cause === undefined ? '' : `: ${causeText(cause, 'terminal', spelling).what}`}`,
    pageWhat: ({ reason, cause }, spelling) =>
      `the study has no transcript: ${cause === undefined ? reasonTexts[reason] : causeText(cause, 'page', spelling).what}`,
    remedies: {
      terminal: ({ cause }, spelling) => mendedFirst(cause, 'terminal', spelling),
      page: ({ cause }, spelling) => mendedFirst(cause, 'page', spelling),
      agent: ({ cause }, spelling) => mendedFirst(cause, 'agent', spelling),
    },
    at: 'operations',
  },
  no_line_passed: {
    what: ({ lines }) =>
      lines === 0 ? 'no words were recognized' : `the gates withheld all ${lines} recognized lines`,
    pageWhat: ({ lines }) =>
      lines === 0
        ? 'no words were recognized'
        : lines === 1
          ? 'the one recognized line was not certain enough'
          : `none of the ${lines} recognized lines was certain enough`,
    remedies: {
      terminal: (_, { command }) =>
        `attach a subtitle file by ${command('subtitles SOURCE FILE:TAG')}, or use another recognizer`,
      page: 'attach a subtitle file, or use another recognizer',
      agent: 'a person can attach a subtitle file, or use another recognizer',
    },
    at: 'subtitles',
  },
  no_supported_line: { what: 'the evidence of the study carries none of the lines' },
  study_running: { what: 'the study is still running' },
  study_ended: {
    what: 'the study ended before',
    pageWhat: 'the study ended first',
    remedies: studiedAgain,
  },
  nothing_claimed: { what: 'nothing was claimed, so nothing was decided' },
  approval_to_come: { what: 'captions need an approval' },
  approval_missing: { what: 'captions need a valid approval' },
  captions_to_come: { what: 'there are no captions yet' },
  captions_missing: { what: 'there are no captions' },
  approved_without_plan: { what: 'approved without a plan' },
  captions_of_older_rules: {
    what: ({ rules, present }) =>
      `an earlier version made these captions (caption rules ${rules}, now ${present}): they may have faults that are mended now`,
    pageWhat: 'an earlier version made these captions: they may have faults that are mended now',
    remedies: {
      terminal: (_, { command }) => `make them again: ${command('caption FILM --again')}, then compare`,
      page: 'study the film again, and make its captions again',
      agent: anotherStudy,
    },
  },
  attempts_failed: {
    what: ({ attempts }) => `all ${attempts} attempts failed`,
    remedies: {
      terminal: 'study the range again, and approve the new study',
      page: 'study the range again, and approve the new study',
      agent: anotherStudy,
    },
  },
  no_translation_passed: {
    what: 'no translated line passed its checks',
    remedies: {
      terminal: (_, { command }) =>
        `try again, or use another model: ${command('settings set caption-translation-model=NAME')}`,
      page: 'try again, or use another model as “Caption translation model” among all settings',
      agent: inTheHandsOfAPerson,
    },
    at: 'operations',
  },
  no_text_to_caption: {
    what: 'the media has no text track, and its speech was not recognized',
    pageWhat: 'this film has no subtitles as text',
    ...textOrSpeech,
  },
  no_explainer: {
    what: 'no explanation executor is configured',
    pageWhat: 'explanations are off',
    remedies: {
      terminal: 'restart the host with --language-explanation-executor openai, its permission switch and a model',
      page: 'set a model server in Operations',
      agent: inTheHandsOfAPerson,
    },
    at: 'operations',
  },
  subtitles_give_captions: {
    what: 'its subtitle tracks give captions',
    pageWhat: 'its subtitles would give captions',
    remedies: {
      terminal: 'restart the host with --caption-executor grouped-subtitles --allow-embedded-subtitle-captions',
      page: 'choose “Subtitle tracks” in Captions',
      agent: 'produce_captions with the method grouped-subtitles makes them',
    },
    joint: ': ',
  },
  captions_over_limit: {
    what: ({ of, found, limit }) => `the captions have ${limited[of](found)}, and this host writes at most ${limit}`,
    remedies: {
      terminal: ({ of, found }) =>
        of === 'lines'
          ? `restart the host with --maximum-caption-lines ${found}, or study less`
          : 'study a shorter range',
      page: ({ of }) =>
        of === 'lines' ? 'raise “Maximum caption lines” in Operations, or study less' : 'study a shorter range',
      agent: 'start_study with a shorter range',
    },
  },
  text_not_writable: {
    what: ({ side, startMs }, spelled) =>
      `${spelled.side(side)} has a text at ${spelled.length(startMs)} that captions cannot hold: it is too long, or has control characters`,
    remedies: {
      terminal: (_, { command }) =>
        `correct the file and use it again: ${command('caption FILM --subtitles FILE:TAG')}`,
      page: 'correct the file, and attach it again',
      agent: 'a person has to correct the subtitle file',
    },
    at: 'subtitles',
  },
  lines_withhold_captions: {
    what: ({ lines }) =>
      `${counted(lines, 'line lacks', 'lines lack')} a text, and this way to captions writes every line or none`,
    remedies: {
      terminal: 'use the method grouped-subtitles, which leaves such lines out',
      page: 'choose “Subtitle tracks”, which leaves such lines out',
      agent: 'read_caption_plan with the method grouped-subtitles',
    },
  },
  cues_trimmed: {
    what: ({ side, cues }, spelled) =>
      `${spelled.side(side)}: ${counted(cues, 'line ends', 'lines end')} where the next one begins`,
  },
  cues_joined: {
    what: ({ side, cues }, spelled) =>
      `${spelled.side(side)}: ${counted(cues, 'line has', 'lines have')} several speakers at once`,
  },
  texts_apart: {
    what: ({ side, texts }, spelled) =>
      `${spelled.side(side)}: ${counted(texts, 'sign or note is', 'signs and notes are')} shown over speech, and in no line`,
    remedies: {
      terminal: 'add what you need as a line of your own',
      page: 'add what you need as a line of your own',
      agent: 'a person can add them as lines',
    },
  },
  captions_rolled: { what: ({ side }, spelled) => `${spelled.side(side)} rolls up: each row is written once` },
  ends_assumed: {
    what: ({ side, cues }, spelled) =>
      `${spelled.side(side)}: ${counted(cues, 'line states no end, and ends', 'lines state no end, and end')} with the next one or after 7 s`,
  },
  looks_not_kept: { what: ({ side, look, cues }, spelled) => `${spelled.side(side)}: ${unkeptLookWords[look](cues)}` },
  side_shifted: {
    what: ({ side, against, offsetMs }, spelled) =>
      `${spelled.side(side)} begins ${spelled.length(Math.abs(offsetMs))} ${offsetMs > 0 ? 'after' : 'before'} ${references[against]}`,
    remedies: movedSubtitles,
    at: 'subtitles',
  },
  side_drifts: {
    what: ({ side, against, numerator, denominator }, spelled) =>
      `${spelled.side(side)} runs ${rateText(numerator, denominator)} than ${references[against]}`,
    remedies: movedSubtitles,
    at: 'subtitles',
  },
  side_in_parts: {
    what: ({ side, against, parts }, spelled) =>
      `${spelled.side(side)} fits ${references[against]} only in ${counted(parts, 'part', 'parts')}, each at another place: it belongs to another cut of the film`,
    remedies: movedSubtitles,
    at: 'subtitles',
  },
  timing_unknown: {
    what: ({ side, against, reason }, spelled) =>
      `nothing shows if ${spelled.side(side)} is in time with ${references[against]}: ${unknownTimings[reason]}`,
    remedies: otherSubtitles,
    at: 'subtitles',
  },
  sides_disagree: {
    what: ({ agreeMilli, leastMilli }) =>
      leastMilli > 1000
        ? 'too few lines show if the two languages belong together'
        : `the two languages do not belong together: ${agreeMilli / 10} % of the lines agree in time, and ${leastMilli / 10} % are needed`,
    remedies: {
      terminal: 'choose another track with --track, or captions in one language',
      page: 'choose another track, or captions in one language',
      agent: 'read_caption_plan with another track',
    },
    at: 'subtitles',
  },
  other_region_taken: {
    what: ({ side, asked, found }, spelled) =>
      `${spelled.side(side)} is in ${spelled.language(found)}, and not in ${spelled.language(asked)}`,
  },
  other_script_refused: {
    what: ({ side, asked, found }, spelled) =>
      `${spelled.side(side)}: a track in ${spelled.language(found)} is not taken for ${spelled.language(asked)}`,
    remedies: {
      terminal: ({ found }) => `ask for it by its own tag: --to ${found}`,
      page: ({ found }, { language }) => `choose ${language(found)}`,
      agent: ({ found }) => `start_study with targetLanguage ${found}`,
    },
  },
  spoken_in_other_language: {
    what: ({ startMs, endMs, language }, spelled) =>
      `${momentText(startMs)} to ${momentText(endMs)} is ${spelled.language(language)}: its lines are left out`,
  },
  passages_without_line: {
    what: ({ passages }) => `${counted(passages, 'spoken passage has', 'spoken passages have')} no line`,
  },
  lines_left_out: { what: ({ lines }) => `${counted(lines, 'line', 'lines')} left out` },
  lines_without_speech: {
    what: ({ lines }) => `${counted(lines, 'line is', 'lines are')} where no speech was found`,
  },
  speech_not_measured: {
    what: 'nothing is known of speech without a line: the speech of this film was not measured',
  },
};

/** Further words of some reasons. */
const ofReasons: Readonly<Partial<Record<ReasonCode, Omit<Wording<object>, 'what'>>>> = {
  no_audio_track: { pageWhat: 'the film has no sound' },
  no_video_track: { pageWhat: 'the film has no pictures' },
  no_text_subtitle_track: { pageWhat: 'the film has no subtitles as text' },
  language_not_recognised: {
    remedies: {
      terminal: (_, { command }) => `use a recognizer of this language: ${command('engines')} lists them`,
      page: 'choose a recognizer of this language in Operations',
      agent: inTheHandsOfAPerson,
    },
    at: 'operations',
  },
  language_not_declared: {
    pageWhat: 'the spoken language was not chosen',
    remedies: {
      terminal: '--language TAG declares it',
      page: 'choose it in a new study',
      agent: 'start_study with the spoken language as `language`',
    },
  },
};

const inWords = <Params>(said: Said<Params>, params: Params, spelling: Spelling): string =>
  typeof said === 'string' ? said : said(params, { ...plainSpelling, ...spelling });

const again: Readonly<Record<FailedWork, string>> = {
  file: 'add the file',
  video: 'fetch the range',
  study: 'study it',
};

/** The wording of a failure. The remedy is one for the page, which adds files; at the terminal a person repeats the command. */
function ofFailure(code: FailureCode): Wording<{ readonly of: FailedWork }> {
  const row = failureTexts[code];
  const [what, remedy = null] = typeof row === 'string' ? [row] : row;
  const repeated = ({ of }: { readonly of: FailedWork }) =>
    `${again[of]} again; if it fails again, look at “This machine” in Operations`;
  return {
    what: code === 'other_failure' ? ({ of }) => otherFailures[of] : what,
    remedies: { terminal: remedy, page: remedy ?? repeated, agent: remedy },
  };
}

/** The wording of an engine's failure. Only a person can mend an engine; an agent can try again if the failure may pass. */
function ofEngine(code: EngineFailureCode): Wording<EngineFault> {
  const { what, remedies } = engineFailureTexts[code];
  const later = ({ engine }: EngineFault) =>
    engine === 'translation' ? 'make the captions again later, or tell a person' : `${anotherStudy}; or tell a person`;
  const agent = passingFailures.includes(code) ? later : inTheHandsOfAPerson;
  return { what, remedies: { ...remedies, agent }, at: 'operations' };
}

/** The row of a cause, as one that takes its params. */
function wordingOf({ code }: Cause): Wording<Cause['params']> {
  if (isEngineFailure(code)) return ofEngine(code) as Wording<Cause['params']>;
  if (isReason(code)) return { what: reasonTexts[code], ...ofReasons[code] };
  return (isFailure(code) ? ofFailure(code) : wordings[code as keyof Wordings]) as Wording<Cause['params']>;
}

/** A cause in the words of a reader. */
export function causeText(cause: Cause, reader: Reader, spelling: Spelling = plainSpelling): CauseText {
  const { what, pageWhat = what, remedies, at = null } = wordingOf(cause);
  const remedy = remedies?.[reader] ?? null;
  return {
    what: inWords(reader === 'page' ? pageWhat : what, cause.params, spelling),
    remedy: remedy === null ? null : inWords(remedy, cause.params, spelling),
    at: reader === 'page' && remedy !== null ? at : null,
  };
}

/** A cause as the texts of the wire have it: in the words of the terminal, with the remedy if they name one. */
export function wireText(cause: Cause, spelling: Spelling = plainSpelling): string {
  const { what, remedy } = causeText(cause, 'terminal', spelling);
  const { joint = null } = wordingOf(cause);
  const mark = typeof joint === 'function' ? joint(cause.params) : joint;
  return mark === null || remedy === null ? what : `${what}${mark}${remedy}`;
}

/** Causes as a reader without a layout reads them: what happened and what to do, one after the other. */
export const causesText = (causes: readonly Cause[], reader: Reader, spelling: Spelling = plainSpelling): string =>
  causes
    .map((cause) => causeText(cause, reader, spelling))
    .map(({ what, remedy }) => (remedy === null ? what : `${what}; ${remedy}`))
    .join('; ');
