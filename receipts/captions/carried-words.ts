import { baseLanguage } from '../core/base-language.ts';
import {
  areSameNumbers,
  digitNumbersOf,
  saysBelowZero,
  type WrittenNumber,
  writtenNumbersOf,
} from './digit-numbers.ts';
import { hanNumbersOf } from './han-numerals.ts';
import { numberWordsOf } from './number-words.ts';

/** What is left of one list without what another has, each as often. */
function without<Item>(
  list: readonly Item[],
  other: readonly Item[],
  isSame: (one: Item, other: Item) => boolean = Object.is,
): Item[] {
  const left = [...list];
  for (const item of other) {
    const at = left.findIndex((each) => isSame(each, item));
    if (at !== -1) left.splice(at, 1);
  }
  return left;
}

const sameDigits = (one: WrittenNumber, other: WrittenNumber): boolean => one.digits === other.digits;

interface NumberLanguages {
  readonly source: string;
  readonly target: string;
  readonly readsDigitsOnly?: boolean;
}

/** Where only digits are read, so are signs of decimals and numbers below zero; and fewer scripts. */
const digitsAlone = (text: string): WrittenNumber[] =>
  digitNumbersOf(text).map((digits) => ({ digits, decimals: 0, isNegative: false }));

/** Whether one of these numbers in digits is not said in the words of the other text. */
function isUnsaid(numbers: readonly WrittenNumber[], words: readonly string[], text: string): boolean {
  const left = [...words];
  return numbers.some(({ digits, decimals, isNegative }) => {
    const at = left.indexOf(digits);
    if (at === -1 || decimals !== 0 || (isNegative && !saysBelowZero(text))) return true;
    left.splice(at, 1);
    return false;
  });
}

/**
 * Whether a translation has the numbers of its source. Numbers in digits are there as often, in digits or in words. A number in
 * words is changed where its translation lacks it and has another one instead: one that is only missing may be said otherwise.
 * Where only digits are read, decimal signs and signs are not, and fewer scripts are known: so the first gates judged.
 */
export function keepsNumbers(source: string, translation: string, languages: NumberLanguages): boolean {
  const isExact = languages.readsDigitsOnly !== true;
  if (isExact && !areSameNumbers(source, translation, languages)) return false;
  const read = isExact ? writtenNumbersOf : digitsAlone;
  const digits = { source: read(source), target: read(translation) };
  const words = {
    source: numberWordsOf(source, languages.source),
    target: numberWordsOf(translation, languages.target),
  };
  const said = {
    source: [...(words.source ?? []).map(String), ...(isExact ? hanNumbersOf(source, languages.source) : [])],
    target: [...(words.target ?? []).map(String), ...(isExact ? hanNumbersOf(translation, languages.target) : [])],
  };
  if (isUnsaid(without(digits.source, digits.target, sameDigits), said.target, translation)) return false;
  if (isUnsaid(without(digits.target, digits.source, sameDigits), said.source, source)) return false;
  if (words.source === null || words.target === null) return true;
  const own = digits.source.map((each) => each.digits);
  const given = digits.target.map((each) => each.digits);
  const lost = without(words.source.map(String), [...words.target.map(String), ...given]);
  const instead = without(words.target.map(String), [...words.source.map(String), ...own]);
  return lost.length === 0 || instead.length === 0;
}

// Capitalised in English and written otherwise elsewhere.
export const noNames: ReadonlySet<string> = new Set(
  'monday tuesday wednesday thursday friday saturday sunday january february march april may june july august september october november december english german french spanish italian dutch russian chinese japanese korean american british european'.split(
    ' ',
  ),
);

/** A text without accents and in lower case. */
export const folded = (text: string): string => text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();

/** The script in which a language is usually written, by its code; null where that is not known. */
export const scriptOf = (language: string): string | null => {
  try {
    return new Intl.Locale(language).maximize().script ?? null;
  } catch {
    return null;
  }
};

/** Names can be compared letter by letter in Latin script; where all nouns begin with a capital, a capital is no sign of a name. */
const showsNames = (sourceLanguage: string, targetLanguage: string): boolean =>
  [sourceLanguage, targetLanguage].every((language) => scriptOf(language) === 'Latn') &&
  !['de', 'lb'].includes(baseLanguage(sourceLanguage) ?? '');

/** The names in texts: words of three letters and more with a capital within a sentence. */
export function namesIn(texts: readonly string[], sourceLanguage: string, targetLanguage: string): ReadonlySet<string> {
  if (!showsNames(sourceLanguage, targetLanguage)) return new Set();
  const found = texts.flatMap((text) => text.match(/(?<=[\p{L}\p{N},;] )\p{Lu}[\p{L}]{2,}(?!['’\p{L}])/gu) ?? []);
  return new Set(found.map(folded).filter((name) => !noNames.has(name)));
}

/** Endings change with the case of a name: as much of it has to be there. */
const stemOf = (name: string): string => name.slice(0, Math.max(3, name.length - 2));

/** Whether a translation has every one of these names that its source has. */
export function keepsNames(source: string, translation: string, names: ReadonlySet<string>): boolean {
  const own = (source.match(/\p{Lu}\p{L}{2,}/gu) ?? []).map(folded).filter((name) => names.has(name));
  const target = folded(translation).match(/\p{L}+/gu) ?? [];
  return own.every((name) => target.some((word) => word.startsWith(stemOf(name))));
}
