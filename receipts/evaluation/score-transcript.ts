import type { Range } from '../../contract/base/grammar.ts';
import type { LabelledTranscript, TranscriptScore } from '../../contract/evaluation.ts';
import type { TranscriptLineFact } from '../../contract/evidence/evidence.ts';
import { editDistance } from '../../rules/text-comparison.ts';
import { intersection, joined, remainder, totalLengthOf } from '../../rules/time-spans.ts';
import { microRatio } from './micro-ratio.ts';
import { overlap } from './overlapping-pairs.ts';

export type TranscriptCounts = Omit<TranscriptScore, 'wordErrorMicro' | 'characterErrorMicro' | 'inventionMicro'>;

/** A line of a transcript as far as it is scored. */
export type FoundLine = Pick<TranscriptLineFact, 'startMs' | 'endMs' | 'text' | 'outcome'>;

// Apostrophes as people, printers and Ukrainian keyboards write them.
const apostrophe = /['‘’\u02BC]/g;
const quotationMark = /(?<![\p{L}\p{M}\p{N}])'|'(?![\p{L}\p{M}\p{N}])/gu;

// Scripts that part no words by spaces: one stands there where punctuation did, or between two lines.
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
 * Holds the lines that passed the gates against what is said in a range, all words in the order of time. Words of lines that
 * lie where no speech is count as errors, and once more as invented.
 */
export function transcriptCounts(
  { lines }: LabelledTranscript,
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
  const invented = passed.filter((line) => !lines.some((label) => overlap(label, line)));
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

/** Error rates by what is said, as in speech recognition usual: they may exceed 1. */
export const transcriptScoreOf = (counts: TranscriptCounts): TranscriptScore => ({
  ...counts,
  wordErrorMicro: microRatio(counts.wordErrors, counts.labelledWords),
  characterErrorMicro: microRatio(counts.characterErrors, counts.labelledCharacters),
  inventionMicro: microRatio(counts.inventedMs, counts.unspokenMs),
});
