import type { CaptionReason } from '../../contract/captions/caption-line.ts';
import type { TranslatedAnswer } from '../../contract/captions/caption-translation.ts';
import { baseLanguage } from '../core/base-language.ts';
import { median } from '../core/median.ts';
import { contradictsLanguage } from '../recognition/line-language.ts';
import { lettersOf, spokenLength } from '../recognition/line-tokens.ts';
import { keepsNames, keepsNumbers } from './carried-words.ts';
import { isOtherLanguage } from './language-contradiction.ts';
import { addsNoName, keepsSounds } from './names-across-scripts.ts';
import { similarityOf } from './text-similarity.ts';

/**
 * From which values on a translation does not pass. 0.75 lets a model repair a typing error of the source that it repeats,
 * and no other sentence. The lengths of one dialogue in two languages keep within a factor of two and a half of their
 * median ratio; the other bounds are choices, and were not measured.
 */
export const TRANSLATION_GATE = {
  echoSimilarity: 0.75,
  identifiedLetters: 12,
  copiedLetters: 4,
  lengthFactor: 2.5,
  farthestFactor: 4,
  judgedLetters: 10,
  repeatedLetters: 8,
} as const;

/** A line of the source as a model is given it. */
export interface SourceLine {
  readonly id: string;
  readonly text: string;
}

/** What came back for a line, and the language of everything that came back with it. */
export interface Candidate {
  readonly line: SourceLine;
  readonly answer: TranslatedAnswer | null;
  readonly identifiedTogether: string | null;
}

export interface TranslationLanguages {
  readonly source: string;
  readonly target: string;
  /** Names of the whole production. */
  readonly names: ReadonlySet<string>;
  /** Whose names are compared by their sound; null where names are compared by their letters, or not at all. */
  readonly sounded: 'source' | 'translation' | null;
  /** Whether numbers are compared by their digits alone, as by the gates of stored records. */
  readonly readsDigitsOnly: boolean;
}

const letters = (text: string): number => lettersOf(text).length;

const plain = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

/** The source itself in the place of its translation; names stay what they are. */
function isCopied(source: string, translation: string, names: ReadonlySet<string>): boolean {
  const similarity = similarityOf(source, translation);
  if (letters(source) >= TRANSLATION_GATE.judgedLetters) return similarity >= TRANSLATION_GATE.echoSimilarity;
  return similarity === 1 && letters(source) >= TRANSLATION_GATE.copiedLetters && !names.has(plain(source));
}

/** Another language or script than was asked for, or the source itself. */
function isWrongLanguage({ line, answer, identifiedTogether }: Candidate, languages: TranslationLanguages): boolean {
  if (answer === null) return false;
  const { translation, identified } = answer;
  const target = baseLanguage(languages.target) ?? languages.target;
  if (contradictsLanguage(translation, [target], { identified, heard: null })) return true;
  if (isCopied(line.text, translation, languages.names)) return true;
  const isLong = letters(translation) >= TRANSLATION_GATE.identifiedLetters;
  return isOtherLanguage(target, isLong ? identified : identifiedTogether);
}

function hasNames(source: string, translation: string, { names, sounded }: TranslationLanguages): boolean {
  if (sounded === 'translation') return addsNoName(source, translation);
  return sounded === 'source' ? keepsSounds(source, translation, names) : keepsNames(source, translation, names);
}

/** Why the answer for one line, by itself, does not pass; null where it does. The first reason stands. */
export function reasonAgainst(candidate: Candidate, languages: TranslationLanguages): CaptionReason | null {
  const { line, answer } = candidate;
  if (answer === null || answer.translation.trim() === '') return 'translator_missing_line';
  if (similarityOf(line.text, answer.source) < TRANSLATION_GATE.echoSimilarity) return 'translation_source_mismatch';
  if (isWrongLanguage(candidate, languages)) return 'language_mismatch';
  if (!keepsNumbers(line.text, answer.translation, languages)) return 'translation_numbers_changed';
  return hasNames(line.text, answer.translation, languages) ? null : 'translation_names_changed';
}

/** A line whose answer passed by itself. */
export interface Passed {
  readonly line: SourceLine;
  readonly translation: string;
}

/** Whether one line has all words of the other too: the same twice, or two lines in one. */
function holds(outer: string, inner: string): boolean {
  return ` ${plain(outer)} `.includes(` ${plain(inner)} `);
}

/** Lines whose translation another line has as well, although their sources differ. */
export function repeated(passed: readonly Passed[]): ReadonlySet<string> {
  const found = new Set<string>();
  for (const one of passed) {
    for (const other of passed) {
      const isJudged = one !== other && letters(other.translation) >= TRANSLATION_GATE.repeatedLetters;
      if (!isJudged || !holds(one.translation, other.translation) || holds(one.line.text, other.line.text)) continue;
      if (similarityOf(one.line.text, other.line.text) >= TRANSLATION_GATE.echoSimilarity) continue;
      found.add(one.line.id).add(other.line.id);
    }
  }
  return found;
}

/** By how much a text is longer than its source, as the logarithm of the ratio. */
const growth = (source: string, translation: string): number =>
  Math.log((spokenLength(translation) + 1) / (spokenLength(source) + 1));

/** Lines whose length is far from what their neighbours make expect, or from any that a translation has. */
export function lengthOutliers(passed: readonly Passed[]): ReadonlySet<string> {
  const usual = median(passed.map(({ line, translation }) => growth(line.text, translation)));
  const far = passed.filter(({ line, translation }) => {
    if (letters(line.text) < TRANSLATION_GATE.judgedLetters) return false;
    const grown = growth(line.text, translation);
    const isFarthest = Math.abs(grown) > Math.log(TRANSLATION_GATE.farthestFactor);
    return isFarthest || Math.abs(grown - usual) > Math.log(TRANSLATION_GATE.lengthFactor);
  });
  return new Set(far.map(({ line }) => line.id));
}

/**
 * Whether the translations of lines that follow each other fit the lengths of other lines clearly better than those of
 * their own: all of them moved by one, or two neighbours swapped, under the right sources.
 */
export function areMisplaced(passed: readonly Passed[]): boolean {
  const usual = median(passed.map(({ line, translation }) => growth(line.text, translation)));
  const misfit = (at: number, of: number): number => {
    const [line, translation] = [passed[at]?.line.text ?? '', passed[of]?.translation ?? ''];
    return Math.abs(growth(line, translation) - usual);
  };
  const sum = (places: readonly number[], step: number): number =>
    places.reduce((total, at) => total + misfit(at, at + step), 0);
  const places = passed.map((_, at) => at);
  const isMoved = [1, -1].some((step) => {
    const both = places.filter((at) => passed[at + step] !== undefined);
    return both.length >= 3 && sum(both, 0) > 0.2 * both.length && sum(both, step) < sum(both, 0) / 2;
  });
  const isSwapped = places.some((at) => {
    if (passed[at + 1] === undefined) return false;
    const own = misfit(at, at) + misfit(at + 1, at + 1);
    return own > 0.6 && misfit(at, at + 1) + misfit(at + 1, at) < own / 2;
  });
  return isMoved || isSwapped;
}
