import type { FailureCause } from './causes.ts';
import { type FailedWork, ingestFailures, studyFailures } from './failures.ts';
import type { Spelling } from './wording.ts';

/**
 * The only reader of sentences. Records of failures hold a code and a message whose first word is part of the wire, and refusals of
 * requests end with their remedy. Everything else takes causes from answers.
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

/** A sentence of the host with its milliseconds as a reader has lengths: `at most 600000 ms` is `at most 10:00` for the page. */
export const withLengths = (sentence: string, { length }: Spelling): string =>
  sentence.replaceAll(/\b(\d{4,}) ms\b/g, (_, ms: string) => length(Number(ms)));

/** The sentence of the host about a stored failure, without its first word and with the lengths of a reader; null if there is none. */
export function failureDetailOf({ code, message }: StoredFailure, spelling: Spelling): string | null {
  const [, , rest = message] = beginning.exec(message) ?? [];
  return rest === '' || code === 'canceled' ? null : withLengths(rest, spelling);
}

/** A refusal as the host writes it: what happened, a semicolon, and what a client can do. */
export function refusalParts(message: string): { readonly what: string; readonly remedy: string | null } {
  const mark = message.indexOf('; ');
  return mark < 0
    ? { what: message, remedy: null }
    : { what: message.slice(0, mark), remedy: message.slice(mark + '; '.length) };
}
