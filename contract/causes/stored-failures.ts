import type { CauseWith, FailureCause } from './causes.ts';
import type { EngineFailureCause } from './engine-cause.ts';
import { type EngineFailureCode, type FailingEngine, isEngineFailure, refusalCodeOf } from './engine-failures.ts';
import { type FailedWork, ingestFailures, studyFailures } from './failures.ts';
import type { Spelling } from './wording.ts';

/**
 * The only reader of sentences, beside `refusal-parts.ts`. Records of failures hold a code and a message whose first word is part of the
 * wire. Everything else takes causes from answers.
 */

/** The first word of a message: `word: what happened`. */
const beginning = /^([a-z][a-z_0-9]*): (.*)$/s;

/** The word at the beginning of a stored message, one of a closed set; null for a message without one. */
export function firstWordOf<Word extends string>(message: string, words: readonly Word[]): Word | null {
  const [, first] = beginning.exec(message) ?? [];
  return words.find((word) => word === first) ?? null;
}

/** A message after the word at its beginning, one of a closed set; the whole message without one. */
export const afterFirstWord = (message: string, words: readonly string[]): string =>
  firstWordOf(message, words) === null ? message : (beginning.exec(message)?.[2] ?? message);

interface StoredFailure {
  readonly code: string;
  readonly message: string;
}

/** The cause of stored work that failed: the first word of its message if it is one, else its code. */
export function failureCauseOf({ code, message }: StoredFailure, of: FailedWork): FailureCause {
  const [, word = ''] = beginning.exec(message) ?? [];
  const known = of === 'study' ? studyFailures : ingestFailures;
  return {
    code: known.find((each) => each === word) ?? known.find((each) => each === code) ?? 'other_failure',
    params: { of },
  };
}

/** The cause of an engine's failure by the first word of its message, beside `http_` and three digits. */
const ofEngines: Readonly<Record<string, EngineFailureCode>> = {
  recognizer_unavailable: 'engine_gone',
  timeout: 'engine_late',
  unreachable: 'engine_unreachable',
  redirected: 'engine_redirected',
  too_large: 'engine_answer_too_large',
  invalid_output: 'engine_answer_impossible',
  model_changed: 'engine_changed',
  not_permitted: 'engine_not_permitted',
  model_broken: 'engine_model_broken',
  uneven_sound: 'sound_unreadable',
  worker_failed: 'engine_stopped',
  deadline: 'engine_late',
  launch_failed: 'engine_stopped',
  tool_missing: 'engine_gone',
  tool_exit: 'engine_stopped',
  tool_signal: 'engine_stopped',
  output_limit: 'engine_answer_too_large',
};

/** Sentences behind these words that every version has written, where one word has several causes. */
const sentences: readonly (readonly [RegExp, EngineFailureCode])[] = [
  [/^invalid_output: .*\bis not JSON\b/, 'engine_answered_text'],
  [/^invalid_output: .*\b(?:has another shape|is not a chat completion)\b/, 'engine_answered_other_json'],
  [/^(?:deadline|tool_exit|tool_signal|output_limit): ffmpeg\b/, 'sound_unreadable'],
];

/** Words in front of the failure of an engine, which has a first word of its own. */
const around = ['translator', 'recognizer_unavailable', 'worker_failed', 'refused'] as const;

/**
 * The cause of an engine's failure by a stored message, `word: what happened`. If the word has several causes, the message is
 * `word: code: what happened`. Words of a server are at its end. Null for a message of anything else.
 */
export function engineFailureOf(message: string, engine: FailingEngine): EngineFailureCause | null {
  const [, word = '', rest = ''] = beginning.exec(message) ?? [];
  const inner = around.some((each) => each === word) ? engineFailureOf(rest, engine) : null;
  if (inner !== null) return inner;
  const [, second = ''] = beginning.exec(rest) ?? [];
  const [, digits] = /^http_(\d{3})$/.exec(word) ?? [];
  const bySentence = sentences.find(([sentence]) => sentence.test(message))?.[1];
  const byWord = digits === undefined ? ofEngines[word] : refusalCodeOf(Number(digits));
  const code = isEngineFailure(second) ? second : (bySentence ?? byWord);
  if (code === undefined) return null;
  const [, said] = /\(it said “([^“”]+)/.exec(rest) ?? [];
  const status = digits === undefined ? {} : { status: Number(digits) };
  return { code, params: { engine, ...status, ...(said === undefined ? {} : { said }) } };
}

/** The failure of the server that translates captions, by the message of an attempt or of its refusal; null if it was none. */
export function translationFailureOf(message: string): EngineFailureCause | CauseWith<'no_translation_passed'> | null {
  if (firstWordOf(message, ['translator']) === null) return null;
  return engineFailureOf(message, 'translation') ?? { code: 'no_translation_passed', params: {} };
}

/** The failure of an engine behind the refusal of a request, by its code and message; null for any other refusal. */
export const refusalCauseOf = (code: string, message: string): EngineFailureCause | null =>
  code === 'caption_translation_failed' ? engineFailureOf(message, 'translation') : null;

/**
 * The cause of a step without which its study continues: a failure of its engine, or of the study in which it stopped. A study that has
 * used up its time and a program that was too slow begin with the same word.
 */
export function stepFailureOf(failure: StoredFailure, engine: FailingEngine | null): EngineFailureCause | FailureCause {
  const ofStudy = failureCauseOf(failure, 'study');
  const isOfEngine =
    failure.code === 'executor_failed' && !/^(?:deadline: the study|aborted|canceled)\b/.test(failure.message);
  return (isOfEngine && engine !== null ? engineFailureOf(failure.message, engine) : null) ?? ofStudy;
}

/** A sentence of the host with its milliseconds as a reader has lengths: `at most 600000 ms` is `at most 10:00` for the page. */
export const withLengths = (sentence: string, { length }: Spelling): string =>
  sentence.replaceAll(/\b(\d{4,}) ms\b/g, (_, ms: string) => length(Number(ms)));

/** The sentence of the host about a stored failure, without its first word and with the lengths of a reader; null if there is none. */
export function failureDetailOf({ code, message }: StoredFailure, spelling: Spelling): string | null {
  const [, , rest = message] = beginning.exec(message) ?? [];
  return rest === '' || code === 'canceled' ? null : withLengths(rest, spelling);
}
