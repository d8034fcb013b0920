import type { Range } from '../../contract/base/grammar.ts';
import {
  type LabeledTranscript,
  type LabeledUtterances,
  type LanguageScore,
  phraseMs,
  type SubtitleScore,
  type TranscriptScore,
  type UtteranceScore,
  utteranceOverlap,
} from '../../contract/evaluation.ts';
import type { TranscriptLineFact } from '../../contract/evidence/evidence.ts';
import { editDistance } from '../text-comparison.ts';
import { intersection, joined, overlaps, remainder, totalLengthOf } from '../time-spans.ts';
import { microRatio, retrievalRatios } from './detection.ts';

/** The subtag of BCP 47 for text without linguistic content. */
const noLanguage = 'zxx';

/** The answer of an identifier for a labeled text: a code, or null when it abstained. */
export interface LanguageAnswer {
  readonly label: string;
  /** True if the text was found at all, so that the identifier could judge it. */
  readonly isRead: boolean;
  readonly code: string | null;
}

/** Numbers of texts; those of several tracks and items are added up. */
export type LanguageCounts = Pick<LanguageScore, 'labelled' | 'correct' | 'wrong' | 'abstained' | 'unread'>;

type Verdict = Exclude<keyof LanguageCounts, 'labelled'>;

function verdictOf({ label, isRead, code }: LanguageAnswer): Verdict {
  if (!isRead) return 'unread';
  // For a text without a language, no answer is right.
  if (label === noLanguage) return code === null ? 'correct' : 'wrong';
  if (code === null) return 'abstained';
  return code.toLowerCase() === label.toLowerCase() ? 'correct' : 'wrong';
}

export function languageCounts(answers: readonly LanguageAnswer[]): LanguageCounts {
  const verdicts = answers.map(verdictOf);
  const times = (verdict: Verdict) => verdicts.filter((each) => each === verdict).length;
  return {
    labelled: answers.length,
    correct: times('correct'),
    wrong: times('wrong'),
    abstained: times('abstained'),
    unread: times('unread'),
  };
}

/** Selective accuracy, correct / (correct + wrong), and beside it how many of the labeled were abstained from. */
export const languageScoreOf = (counts: LanguageCounts): LanguageScore => ({
  ...counts,
  accuracyMicro: microRatio(counts.correct, counts.correct + counts.wrong),
  abstentionMicro: microRatio(counts.abstained, counts.labelled),
});

interface Cue {
  readonly startMs: number;
  readonly endMs: number;
  readonly text: string;
}

/** A labeled cue and the found one of the same text, by their places in their lists. */
interface CuePair {
  readonly labelled: number;
  readonly found: number;
}

/** A pairing of the first cues of both lists, the newest pair first. */
interface Pairing {
  readonly count: number;
  readonly errorMs: number;
  readonly pair: CuePair | null;
  readonly earlier: Pairing | null;
}

const nothing: Pairing = { count: 0, errorMs: 0, pair: null, earlier: null };

const better = (one: Pairing, other: Pairing): Pairing =>
  other.count > one.count || (other.count === one.count && other.errorMs < one.errorMs) ? other : one;

const errorsOf = (one: Cue, other: Cue): [start: number, end: number] => [
  Math.abs(one.startMs - other.startMs),
  Math.abs(one.endMs - other.endMs),
];

/**
 * Pairs cues of equal text without crossing. The result is a longest common subsequence of the texts, and of all the longest the
 * one with the least error of time. Takes as many steps as the product of both lengths.
 */
export function pairCues(labelled: readonly Cue[], found: readonly Cue[]): CuePair[] {
  let above: Pairing[] = Array.from({ length: found.length + 1 }, () => nothing);
  for (const [row, truth] of labelled.entries()) {
    const current = [nothing];
    for (const [column, claim] of found.entries()) {
      let best = better(above[column + 1] ?? nothing, current[column] ?? nothing);
      if (truth.text === claim.text) {
        const earlier = above[column] ?? nothing;
        const [start, end] = errorsOf(truth, claim);
        const pair = { labelled: row, found: column };
        best = better(best, { count: earlier.count + 1, errorMs: earlier.errorMs + start + end, pair, earlier });
      }
      current.push(best);
    }
    above = current;
  }
  const pairs: CuePair[] = [];
  for (let at = above.at(-1) ?? null; at !== null && at.pair !== null; at = at.earlier) pairs.unshift(at.pair);
  return pairs;
}

/** Counts and errors of a track; those of several are added up, the largest error is the largest of all. */
export type SubtitleCounts = Pick<
  SubtitleScore,
  'labelled' | 'found' | 'matched' | 'exact' | 'startErrorMs' | 'endErrorMs' | 'largestErrorMs'
>;

/** Holds the cues that were read from a track against its labels. */
export function subtitleCounts(labelled: readonly Cue[], found: readonly Cue[]): SubtitleCounts {
  const errors = pairCues(labelled, found).flatMap((pair) => {
    const [truth, claim] = [labelled[pair.labelled], found[pair.found]];
    return truth === undefined || claim === undefined ? [] : [errorsOf(truth, claim)];
  });
  return {
    labelled: labelled.length,
    found: found.length,
    matched: errors.length,
    exact: errors.filter(([start, end]) => start + end === 0).length,
    startErrorMs: errors.reduce((sum, [start]) => sum + start, 0),
    endErrorMs: errors.reduce((sum, [, end]) => sum + end, 0),
    largestErrorMs: errors.flat().reduce((largest, error) => Math.max(largest, error), 0),
  };
}

/** Exact cues as shares of what was found and labeled; the mean error is that of all starts and ends that were matched. */
export function subtitleScoreOf(counts: SubtitleCounts): SubtitleScore {
  const { labelled, found, matched, exact, startErrorMs, endErrorMs } = counts;
  const meanErrorUs = matched === 0 ? null : Math.round(((startErrorMs + endErrorMs) * 1000) / (2 * matched));
  return { ...counts, meanErrorUs, ...retrievalRatios(exact, found, labelled) };
}

export type TranscriptCounts = Omit<TranscriptScore, 'wordErrorMicro' | 'characterErrorMicro' | 'inventionMicro'>;

/** A line of a transcript as far as it is scored. */
export type FoundLine = Pick<TranscriptLineFact, 'startMs' | 'endMs' | 'text' | 'outcome'>;

// Apostrophes as people, printers and Ukrainian keyboards write them.
const apostrophe = /['‘’\u02BC]/g;
const quotationMark = /(?<![\p{L}\p{M}\p{N}])'|'(?![\p{L}\p{M}\p{N}])/gu;

// Scripts without spaces between words: a space replaces punctuation, or is between two lines.
const unparted = String.raw`[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}]`;
const unpartedSpace = new RegExp(`(?<=${unparted}\\p{M}*) (?=${unparted})`, 'gu');

/** Words without case and punctuation; an apostrophe within a word belongs to it, in whatever form. */
const wordsOf = (lines: readonly { readonly text: string }[]): string[] =>
  lines.flatMap(({ text }) =>
    text
      .normalize('NFKC')
      .toLowerCase()
      .replaceAll(apostrophe, "'")
      .replaceAll(quotationMark, ' ')
      .replaceAll(/[^\p{L}\p{M}\p{N}']+/gu, ' ')
      .split(' ')
      .filter((word) => /[\p{L}\p{N}]/u.test(word)),
  );

/**
 * Compares the lines that passed the gates with the spoken words in a range, all words in the order of time. Words of lines
 * outside speech count as errors, and once more as invented.
 */
export function transcriptCounts(
  { lines }: LabeledTranscript,
  found: readonly FoundLine[],
  range: Range,
): TranscriptCounts {
  const passed = found
    .filter(({ outcome }) => outcome === 'passed')
    .toSorted((one, other) => one.startMs - other.startMs);
  const [labelledWords, foundWords] = [wordsOf(lines), wordsOf(passed)];
  const charactersOf = (words: readonly string[]): string[] => [...words.join(' ').replaceAll(unpartedSpace, '')];
  const labelledCharacters = charactersOf(labelledWords);
  const unspoken = remainder(range, lines);
  const invented = passed.filter((line) => !lines.some((label) => overlaps(label, line)));
  return {
    labelledWords: labelledWords.length,
    foundWords: foundWords.length,
    wordErrors: editDistance(labelledWords, foundWords),
    labelledCharacters: labelledCharacters.length,
    characterErrors: editDistance(labelledCharacters, charactersOf(foundWords)),
    withheldLines: found.length - passed.length,
    inventedWords: wordsOf(invented).length,
    inventedMs: totalLengthOf(intersection(unspoken, joined(invented))),
    unspokenMs: totalLengthOf(unspoken),
  };
}

/** Error rates by the spoken words, as usual in speech recognition: they may exceed 1. */
export const transcriptScoreOf = (counts: TranscriptCounts): TranscriptScore => ({
  ...counts,
  wordErrorMicro: microRatio(counts.wordErrors, counts.labelledWords),
  characterErrorMicro: microRatio(counts.characterErrors, counts.labelledCharacters),
  inventionMicro: microRatio(counts.inventedMs, counts.unspokenMs),
});

/** The counts of the utterances under one condition; lists of errors are in ascending order. */
export interface UtteranceCounts
  extends Pick<
    UtteranceScore,
    'condition' | 'words' | 'wordsFound' | 'phrases' | 'phrasesFound' | 'unspokenMs' | 'foundMs'
  > {
  readonly onset: Pick<UtteranceScore['onset'], 'errorsMs'>;
  readonly offset: Pick<UtteranceScore['offset'], 'errorsMs'>;
}

const sharedMs = (one: Range, other: Range): number =>
  Math.max(0, Math.min(one.endMs, other.endMs) - Math.max(one.startMs, other.startMs));

const overlapOf = (one: Range, other: Range): number =>
  sharedMs(one, other) / (Math.max(one.endMs, other.endMs) - Math.min(one.startMs, other.startMs));

/** The window that overlaps an utterance most; null if none does. */
function windowOf(utterance: Range, found: readonly Range[]): Range | null {
  const best = found.reduce<Range | null>(
    (most, each) => (most !== null && overlapOf(most, utterance) >= overlapOf(each, utterance) ? most : each),
    null,
  );
  return best === null || sharedMs(best, utterance) === 0 ? null : best;
}

const ascending = (values: readonly number[]): number[] => values.toSorted((one, other) => one - other);

/** Holds found speech against labeled utterances inside a range. */
export function utteranceCounts(
  { condition, spans }: LabeledUtterances,
  found: readonly Range[],
  range: Range,
): UtteranceCounts {
  const searched = spans.map((span) => ({ span, window: windowOf(span, found) }));
  const numbersOf = (some: typeof searched) => ({
    all: some.length,
    found: some.filter(({ span, window }) => window !== null && overlapOf(window, span) >= utteranceOverlap).length,
  });
  const isPhrase = ({ span }: { readonly span: Range }): boolean => span.endMs - span.startMs >= phraseMs;
  const [words, phrases] = [
    numbersOf(searched.filter((each) => !isPhrase(each))),
    numbersOf(searched.filter(isPhrase)),
  ];
  const errors = (edge: 'startMs' | 'endMs') => ({
    errorsMs: ascending(searched.flatMap(({ span, window }) => (window === null ? [] : [window[edge] - span[edge]]))),
  });
  const unspoken = remainder(range, spans);
  return {
    condition,
    words: words.all,
    wordsFound: words.found,
    phrases: phrases.all,
    phrasesFound: phrases.found,
    onset: errors('startMs'),
    offset: errors('endMs'),
    unspokenMs: totalLengthOf(unspoken),
    foundMs: totalLengthOf(intersection(joined(found), unspoken)),
  };
}

/** Counts of several items, once for each condition by name. */
export function pooledUtterances(
  lists: readonly (readonly UtteranceCounts[] | null | undefined)[],
): UtteranceCounts[] | null {
  const all = lists.flatMap((list) => list ?? []);
  const names = [...new Set(all.map(({ condition }) => condition))].sort();
  return all.length === 0
    ? null
    : names.map((name) =>
        joinedCounts(
          name,
          all.filter(({ condition }) => condition === name),
        ),
      );
}

/** Counts that are added up, whatever their conditions. */
export function joinedCounts(condition: string, counts: readonly UtteranceCounts[]): UtteranceCounts {
  const sumOf = (key: 'words' | 'wordsFound' | 'phrases' | 'phrasesFound' | 'unspokenMs' | 'foundMs'): number =>
    counts.reduce((sum, each) => sum + each[key], 0);
  return {
    condition,
    words: sumOf('words'),
    wordsFound: sumOf('wordsFound'),
    phrases: sumOf('phrases'),
    phrasesFound: sumOf('phrasesFound'),
    onset: { errorsMs: ascending(counts.flatMap(({ onset }) => onset.errorsMs)) },
    offset: { errorsMs: ascending(counts.flatMap(({ offset }) => offset.errorsMs)) },
    unspokenMs: sumOf('unspokenMs'),
    foundMs: sumOf('foundMs'),
  };
}

/** The value that a share of values in ascending order does not exceed: the lower one of two in the middle. */
const at = (share: number, values: readonly number[]): number | null =>
  values[Math.max(0, Math.ceil(share * values.length) - 1)] ?? null;

function edgeScoreOf({ errorsMs }: UtteranceCounts['onset']): UtteranceScore['onset'] {
  const sizes = ascending(errorsMs.map(Math.abs));
  return { errorsMs, medianMs: at(0.5, errorsMs), medianSizeMs: at(0.5, sizes), ninetiethSizeMs: at(0.9, sizes) };
}

export const utteranceScoreOf = (counts: UtteranceCounts): UtteranceScore => ({
  condition: counts.condition,
  words: counts.words,
  wordsFound: counts.wordsFound,
  phrases: counts.phrases,
  phrasesFound: counts.phrasesFound,
  onset: edgeScoreOf(counts.onset),
  offset: edgeScoreOf(counts.offset),
  unspokenMs: counts.unspokenMs,
  foundMs: counts.foundMs,
  wordsFoundMicro: microRatio(counts.wordsFound, counts.words),
  phrasesFoundMicro: microRatio(counts.phrasesFound, counts.phrases),
  foundMicro: microRatio(counts.foundMs, counts.unspokenMs),
});
