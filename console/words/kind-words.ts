import type { Cause } from '../../contract/causes/causes.ts';
import type { DescribedKind, ValueForm, WordPart } from '../../contract/evidence/evidence-kinds.ts';
import { pageReason, whatWords } from './cause-words.ts';
import { languageName } from './language-name.ts';
import { clockTime, counted } from './numbers.ts';
import { sentence, wordsOf } from './sentence.ts';

/** The kinds of evidence of this host, in the order in which this page shows them. */
export type Kinds = readonly DescribedKind[];

/** Something with fields of any kind: a fact, or a finding. */
export type Fields = Readonly<Record<string, unknown>>;

/** A length in words: `24.5 s`, and `3:16` from a minute on. */
export const lengthWords = (seconds: number): string =>
  seconds < 60 ? `${Math.round(seconds * 10) / 10} s` : clockTime(Math.round(seconds) * 1000).replace(/\.000$/, '');

const languagesWords = (languages: unknown): string =>
  (languages as readonly { readonly language: string; readonly totalMs: number | null }[])
    .map(({ language, totalMs }) => `${languageName(language)} in ${lengthWords((totalMs ?? 0) / 1000)}`)
    .join(', ');

const forms: Readonly<Record<ValueForm, (value: unknown) => string>> = {
  spaced: (value) => wordsOf(String(value)),
  number: (value) => Number(value).toLocaleString(),
  hundredths: (value) => (Number(value) / 100).toFixed(1),
  percent: (value) => String(Number(value) / 10),
  rounded: (value) => String(Math.round(Number(value))),
  clock: (value) => clockTime(Number(value)),
  length: (value) => lengthWords(Number(value)),
  times: (value) => (value === 1 ? 'once' : `${value} times`),
  sentence: (value) => sentence(String(value)),
  cause: (value) => whatWords([value as Cause]),
  reason: (value) => pageReason(String(value)),
  language: (value) => languageName(String(value)),
  languages: languagesWords,
};

/** The value of a field; a dot leads into an object. Undefined for a missing field. */
const fieldAt = (fields: Fields, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => (value as Fields | null | undefined)?.[name], fields);

function partWords(part: WordPart, fields: Fields): string {
  if (typeof part === 'string') return part;
  const { form, counted: noun, before = '', after = '', none, otherwise = '' } = part;
  const value = fieldAt(fields, part.value);
  if (value === undefined || value === null || value === none) return otherwise;
  const words = noun === undefined ? String(value) : counted(Number(value), ...noun);
  return `${before}${form === undefined ? words : forms[form](value)}${after}`;
}

/** The text of parts over the fields of a fact or a finding. */
export const textOfParts = (parts: readonly WordPart[], fields: Fields): string =>
  parts.map((part) => partWords(part, fields)).join('');
