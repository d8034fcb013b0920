import type { CaptionReason } from '../../contract/captions/caption-line.ts';
import { type TranslatedAnswer, translationLimits } from '../../contract/captions/caption-translation.ts';
import type { Steps } from '../../formats/steps.ts';
import { baseLanguage, contradictsLanguage, isOtherLanguage } from '../languages.ts';
import { median } from '../statistics.ts';
import { lettersOf, similarityOf, spokenLength } from '../text-comparison.ts';
import {
  addsNoName,
  consonantsOf,
  keepsNames,
  keepsNumbers,
  keepsSounds,
  latinWords,
  scriptOf,
} from './carried-words.ts';
import { areEverydayWords, hasLeftWords } from './left-words.ts';
import { areRelated, areStandardsOfOne } from './related-languages.ts';
import { plainWordsOf, repeatedTranslations, type TranslatedLine } from './repeated-lines.ts';
import { anchorNumbersOf, numberWordsOf } from './written-numbers.ts';

/**
 * The values from which a translation does not pass. With 0.75 a model can repair a typing error of the source that it repeats,
 * but no other sentence passes. The lengths of one dialogue in two languages keep within a factor of two and a half of their
 * median ratio. The other bounds are choices, and were not measured.
 */
const TRANSLATION_GATE = {
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

/** The answer for a line, and the language of all answers of its question. */
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
  /** The side whose names are compared by their sound; null if names are compared by their letters, or not at all. */
  readonly sounded: 'source' | 'translation' | null;
}

const letters = (text: string): number => lettersOf(text).length;

/**
 * The source itself in the place of its translation; names stay what they are. Between related languages a right translation is
 * near to its source, and a short one is often equal. There only a longer line of the same words and accents is a copy, unless all are
 * everyday words of the target. Between standards of one language a third of the lines is right as it is.
 */
function isCopied(source: string, translation: string, languages: TranslationLanguages): boolean {
  const isJudged = letters(source) >= TRANSLATION_GATE.judgedLetters;
  if (areStandardsOfOne(languages.source, languages.target)) return false;
  if (areRelated(languages.source, languages.target)) {
    const isEqual = accentedWords(source) === accentedWords(translation);
    return isJudged && isEqual && !areEverydayWords(translation, languages.target);
  }
  const similarity = similarityOf(source, translation);
  if (isJudged) return similarity >= TRANSLATION_GATE.echoSimilarity;
  return (
    similarity === 1 && letters(source) >= TRANSLATION_GATE.copiedLetters && !languages.names.has(plainWordsOf(source))
  );
}

/** The words of a text with their accents: a hyphen, a space or an accent alone tells some translations from their sources. */
const accentedWords = (text: string): string =>
  text
    .normalize('NFC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    .trim();

/** True for another language or script than requested, or the source itself. */
function isWrongLanguage({ line, answer, identifiedTogether }: Candidate, languages: TranslationLanguages): boolean {
  if (answer === null) return false;
  const { translation, identified } = answer;
  const target = baseLanguage(languages.target) ?? languages.target;
  if (contradictsLanguage(translation, [target], { identified, recognized: null })) return true;
  if (isCopied(line.text, translation, languages)) return true;
  const isLong = letters(translation) >= TRANSLATION_GATE.identifiedLetters;
  return isOtherLanguage(target, isLong ? identified : identifiedTogether);
}

function hasNames(source: string, translation: string, { names, sounded }: TranslationLanguages): boolean {
  if (sounded === 'translation') return addsNoName(source, translation);
  return sounded === 'source' ? keepsSounds(source, translation, names) : keepsNames(source, translation, names);
}

/** The reason why the answer for one line, by itself, does not pass; null if it does. The first reason counts. */
export function reasonAgainst(candidate: Candidate, languages: TranslationLanguages): CaptionReason | null {
  const { line, answer } = candidate;
  if (answer === null || answer.translation.trim() === '') return 'translator_missing_line';
  if (similarityOf(line.text, answer.source) < TRANSLATION_GATE.echoSimilarity) return 'translation_source_mismatch';
  if (isWrongLanguage(candidate, languages)) return 'language_mismatch';
  if (hasLeftWords(line.text, answer.translation, languages)) return 'translation_source_words';
  if (!keepsNumbers(line.text, answer.translation, languages)) return 'translation_numbers_changed';
  return hasNames(line.text, answer.translation, languages) ? null : 'translation_names_changed';
}

/** Lines whose translation another line has as well, although their sources differ. */
export const repeatedlyTranslated = (passed: readonly TranslatedLine[]): Steps<ReadonlySet<string>> =>
  repeatedTranslations(passed, {
    leastLetters: TRANSLATION_GATE.repeatedLetters,
    sourceLikeness: TRANSLATION_GATE.echoSimilarity,
  });

/** By how much a text is longer than its source, as the logarithm of the ratio. */
const growth = (source: string, translation: string): number =>
  Math.log((spokenLength(translation) + 1) / (spokenLength(source) + 1));

/** Lines whose length is far from what their neighbors make expect, or from any that a translation has. */
export function* lengthOutliers(passed: readonly TranslatedLine[]): Steps<ReadonlySet<string>> {
  const measured: { readonly id: string; readonly grown: number; readonly isJudged: boolean }[] = [];
  for (const { line, translation } of passed) {
    const isJudged = letters(line.text) >= TRANSLATION_GATE.judgedLetters;
    measured.push({ id: line.id, grown: growth(line.text, translation), isJudged });
    yield;
  }
  const usual = median(measured.map(({ grown }) => grown));
  const far = measured.filter(({ grown, isJudged }) => {
    const isFarthest = Math.abs(grown) > Math.log(TRANSLATION_GATE.farthestFactor);
    return isJudged && (isFarthest || Math.abs(grown - usual) > Math.log(TRANSLATION_GATE.lengthFactor));
  });
  return new Set(far.map(({ id }) => id));
}

/**
 * True if the translations of consecutive lines fit the lengths of other lines clearly better than those of their own. All of
 * them are moved by one, or two neighbors swapped, under the right sources.
 */
export function areMisplaced(passed: readonly TranslatedLine[]): boolean {
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

/**
 * The rule for two answers for one line that translate the same text. A translation is compared with the second answers for all
 * lines that the model had before it when it gave the first one. It must be nearer to that of its own line, and have little of
 * any other. Chosen on a dialogue of twenty lines in German and French with two wordings each; lab/docs/evaluation-results.md has
 * others.
 */
const AGREEMENT_RULE = {
  /** Lines nearer to each other than this are in no question together the second time, and no line is context there. */
  apartLines: translationLimits.batchLines + translationLimits.contextLines + 1,
  /** Words are compared by runs of so many signs, their bounds included. */
  runSigns: 3,
  /** The least likeness of two answers for one line, and by how much it exceeds that with the answer for any other. */
  leastLikeness: 0.1,
  leastLead: 0.04,
  /** The share of the other's own words in two lines in one; shorter lines have too few of them to judge. */
  mergedShare: 0.27,
  mergedRuns: 6,
  /** One of two translations of a line is at most so much longer than the other; short ones may be. */
  lengthFactor: 1.6,
  lengthLetters: 12,
} as const;

/** Lines that may be together in second questions: none of them has its former neighbor in its group. */
export function apartGroups(lines: readonly SourceLine[]): SourceLine[][] {
  const { apartLines } = AGREEMENT_RULE;
  return Array.from({ length: Math.min(apartLines, lines.length) }, (_, first) =>
    lines.filter((_line, at) => at % apartLines === first),
  );
}

/** The runs of signs of an answer, each by its number. */
type Runs = ReadonlySet<number>;

/** Korean syllables fall apart into their letters, and accents are dropped. */
function* runsIn(text: string): Generator<string> {
  const plain = text
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
  for (const word of plain.split(' ')) {
    const signs = [...` ${word} `];
    for (let at = 0; at + AGREEMENT_RULE.runSigns <= signs.length; at += 1)
      yield signs.slice(at, at + AGREEMENT_RULE.runSigns).join('');
  }
}

/** Two lines in one, if the other line has no answer to compare with. */
function isFarLonger(one: string, other: string): boolean {
  const [shorter = 0, longer = 0] = [one, other].map((text) => lettersOf(text).length).sort((a, b) => a - b);
  return longer >= AGREEMENT_RULE.lengthLetters && longer > AGREEMENT_RULE.lengthFactor * shorter;
}

/** True if a translation is one of the line that another answer translates. */
type Agrees = (id: string, translation: string, other: string) => boolean;

/**
 * Answers by their runs of signs, with the weights of these: one that many answers have counts less. Each answer is compared with
 * dozens of others, so runs are compared by their numbers.
 */
class WeighedAnswers {
  readonly #numbers = new Map<string, number>();
  /** By the number of each run, how many answers have it. */
  readonly #spread: number[] = [];
  readonly #byCount: number[] = [];
  /** Sums that are known, once every answer was added. */
  readonly #sums = new WeakMap<Runs, number>();
  #answers = 0;

  runsOf(text: string): Runs {
    const runs = new Set<number>();
    for (const run of runsIn(text)) {
      const number = this.#numbers.get(run) ?? this.#spread.push(0) - 1;
      this.#numbers.set(run, number);
      runs.add(number);
    }
    return runs;
  }

  add(answer: Runs): void {
    this.#answers += 1;
    for (const run of answer) this.#spread[run] = (this.#spread[run] ?? 0) + 1;
  }

  /** How alike two answers are, from 0 to 1. Every answer was added before. */
  likeness(one: Runs, other: Runs): number {
    const both = this.#sumOf(one) + this.#sumOf(other);
    if (both === 0) return 0;
    let shared = 0;
    for (const run of one) if (other.has(run)) shared += this.#weightOf(run);
    return (2 * shared) / both;
  }

  /** True if an answer has much of what a rival has, and the answer for its own line has not. Every answer was added before. */
  isMerged(said: Runs, own: Runs, rival: Runs): boolean {
    let [count, all, shared] = [0, 0, 0];
    for (const run of rival) {
      if (own.has(run)) continue;
      const weight = this.#weightOf(run);
      count += 1;
      all += weight;
      if (said.has(run)) shared += weight;
    }
    return count >= AGREEMENT_RULE.mergedRuns && shared >= AGREEMENT_RULE.mergedShare * all;
  }

  #sumOf(runs: Runs): number {
    const known = this.#sums.get(runs);
    if (known !== undefined) return known;
    let sum = 0;
    for (const run of runs) sum += this.#weightOf(run);
    this.#sums.set(runs, sum);
    return sum;
  }

  #weightOf(run: number): number {
    // A run of none of the answers is as rare as one of a single answer.
    const count = this.#spread[run] || 1;
    const weight = this.#byCount[count] ?? Math.log(1 + this.#answers / count);
    this.#byCount[count] = weight;
    return weight;
  }
}

/** Compares answers beside the second answers for all lines, by their ids. */
export function* agreementBeside(lines: readonly SourceLine[], second: ReadonlyMap<string, string>): Steps<Agrees> {
  const places = new Map(lines.map(({ id }, at) => [id, at]));
  const known: Runs[] = [];
  const answers = new WeighedAnswers();
  for (const { id } of lines) {
    const runs = answers.runsOf(second.get(id) ?? '');
    known.push(runs);
    answers.add(runs);
    yield;
  }
  return (id, translation, other) => {
    const place = places.get(id) ?? 0;
    const [said, own] = [answers.runsOf(translation), answers.runsOf(other)];
    const alike = answers.likeness(said, own);
    if (alike < AGREEMENT_RULE.leastLikeness || isFarLonger(translation, other)) return false;
    const text = lines[place]?.text ?? '';
    const first = Math.max(0, place - AGREEMENT_RULE.apartLines + 1);
    return lines.slice(first, place + AGREEMENT_RULE.apartLines).every((line, at) => {
      const rival = known[first + at];
      if (first + at === place || rival === undefined || rival.size === 0) return true;
      const isNearest = alike - answers.likeness(said, rival) >= AGREEMENT_RULE.leastLead;
      if (isNearest && !answers.isMerged(said, own, rival)) return true;
      return similarityOf(text, line.text) >= TRANSLATION_GATE.echoSimilarity;
    });
  };
}

/**
 * The parts that a line and its translation share without being understood. They are words that begin with the same four letters,
 * mostly cognates or names. See Simard, Foster and Isabelle, "Using cognates to align sentences in bilingual corpora", 1992. In
 * two scripts they are words of the same first consonants, and numbers. A translation that has more in common with another line
 * is in the wrong place. Both bounds are choices; `lab/docs/evaluation-results.md` has their results.
 */
export const ANCHOR_RULE = {
  letters: 4,
  /** Of a word in another script: how many consonants it has at least, and how many are compared. */
  fewestConsonants: 3,
  comparedConsonants: 4,
  /** The number of anchors by which another place has to fit better: before a line is sent again, and before it is withheld. */
  doubtful: 1,
  withheld: 2,
  /** How far apart two lines are that may have been exchanged. */
  reachLines: 7,
} as const;

/** A line with its translation. */
interface AnchoredLine {
  readonly id: string;
  readonly source: string;
  readonly translation: string;
}

interface Anchors {
  readonly keys: ReadonlySet<string>;
  readonly isQuestion: boolean;
}

/** The key of a word in another language; null if it is too short. */
function keyOf(word: string, isAcross: boolean): string | null {
  const { letters, fewestConsonants, comparedConsonants } = ANCHOR_RULE;
  if (!isAcross) return word.length < letters ? null : word.slice(0, letters);
  const consonants = consonantsOf(word);
  return consonants.length < fewestConsonants ? null : consonants.slice(0, comparedConsonants);
}

const asks = (text: string, language: string): boolean =>
  (language.startsWith('el') ? /[;;?]/u : /[?？؟]/u).test(text.trim().slice(-3));

function anchorsOf(text: string, language: string, isAcross: boolean): Anchors {
  const words = latinWords(text).flatMap((word) => keyOf(word, isAcross) ?? []);
  const numbers = [...anchorNumbersOf(text), ...(numberWordsOf(text, language) ?? []).map(String)];
  return { keys: new Set([...words, ...numbers]), isQuestion: asks(text, language) };
}

/** How much each translation has in common with each source. */
class Fit {
  readonly #sources: Anchors[] = [];
  readonly #translations: Anchors[] = [];

  static *of(
    lines: readonly AnchoredLine[],
    languages: { readonly source: string; readonly target: string },
  ): Steps<Fit> {
    const fit = new Fit();
    const isAcross = scriptOf(languages.source) !== scriptOf(languages.target);
    for (const { source, translation } of lines) {
      fit.#sources.push(anchorsOf(source, languages.source, isAcross));
      fit.#translations.push(anchorsOf(translation, languages.target, isAcross));
      yield;
    }
    return fit;
  }

  /** The anchors that the source at one place shares with the translation at another. */
  between(source: number, translation: number): number {
    const [one, other] = [this.#sources[source]?.keys, this.#translations[translation]?.keys];
    return one === undefined || other === undefined ? 0 : [...one].filter((key) => other.has(key)).length;
  }

  /** Of two lines, whether one alone asks, and the other one's translation alone does: both would have the right kind exchanged. */
  asksCrosswise(one: number, other: number): boolean {
    const [first, second] = [this.#sources[one]?.isQuestion, this.#sources[other]?.isQuestion];
    const [firstSaid, secondSaid] = [this.#translations[one]?.isQuestion, this.#translations[other]?.isQuestion];
    return first !== second && first === secondSaid && second === firstSaid;
  }
}

/**
 * Lines whose translations have clearly more in common with other lines, by at least `least` anchors. Either two were exchanged,
 * or all of a run was moved by one. In order of the lines; the ids of the affected ones.
 */
export function* misplacedLines(
  lines: readonly AnchoredLine[],
  languages: { readonly source: string; readonly target: string },
  least: number,
): Steps<ReadonlySet<string>> {
  const fit = yield* Fit.of(lines, languages);
  const found = new Set<string>();
  const add = (...places: readonly number[]): void => {
    for (const at of places) {
      const line = lines[at];
      if (line !== undefined) found.add(line.id);
    }
  };
  for (const [one] of lines.entries()) {
    for (let other = one + 1; other < lines.length && other - one <= ANCHOR_RULE.reachLines; other += 1) {
      const own = fit.between(one, one) + fit.between(other, other);
      const exchanged = fit.between(one, other) + fit.between(other, one);
      if (exchanged + (fit.asksCrosswise(one, other) ? 2 : 0) - own >= least) add(one, other);
    }
    yield;
  }
  for (const step of [1, -1]) {
    for (const at of lines.keys()) {
      const run = [at, at + 1, at + 2].filter(
        (place) => lines[place] !== undefined && lines[place + step] !== undefined,
      );
      const sum = (by: number): number => run.reduce((total, place) => total + fit.between(place + by, place), 0);
      if (run.length === 3 && sum(step) - sum(0) >= least) add(...run);
      yield;
    }
  }
  return found;
}
