import type { Range } from '../../contract/base/grammar.ts';
import { type LabelledUtterances, phraseMs, type UtteranceScore, utteranceOverlap } from '../../contract/evaluation.ts';
import { intersection, joined, remainder, totalLengthOf } from '../../rules/time-spans.ts';
import { microRatio } from './micro-ratio.ts';

/** What is counted of the utterances under one condition; lists of errors are in ascending order. */
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

/** The window that overlaps an utterance most; null where none does. */
function windowOf(utterance: Range, found: readonly Range[]): Range | null {
  const best = found.reduce<Range | null>(
    (most, each) => (most !== null && overlapOf(most, utterance) >= overlapOf(each, utterance) ? most : each),
    null,
  );
  return best === null || sharedMs(best, utterance) === 0 ? null : best;
}

const ascending = (values: readonly number[]): number[] => values.toSorted((one, other) => one - other);

/** Holds found speech against labelled utterances inside a range. */
export function utteranceCounts(
  { condition, spans }: LabelledUtterances,
  found: readonly Range[],
  range: Range,
): UtteranceCounts {
  const heard = spans.map((span) => ({ span, window: windowOf(span, found) }));
  const numbersOf = (some: typeof heard) => ({
    all: some.length,
    found: some.filter(({ span, window }) => window !== null && overlapOf(window, span) >= utteranceOverlap).length,
  });
  const isPhrase = ({ span }: { readonly span: Range }): boolean => span.endMs - span.startMs >= phraseMs;
  const [words, phrases] = [numbersOf(heard.filter((each) => !isPhrase(each))), numbersOf(heard.filter(isPhrase))];
  const errors = (edge: 'startMs' | 'endMs') => ({
    errorsMs: ascending(heard.flatMap(({ span, window }) => (window === null ? [] : [window[edge] - span[edge]]))),
  });
  const unspoken = remainder(range, spans);
  return {
    condition,
    ...{ words: words.all, wordsFound: words.found, phrases: phrases.all, phrasesFound: phrases.found },
    ...{ onset: errors('startMs'), offset: errors('endMs') },
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
    ...{ words: sumOf('words'), wordsFound: sumOf('wordsFound') },
    ...{ phrases: sumOf('phrases'), phrasesFound: sumOf('phrasesFound') },
    onset: { errorsMs: ascending(counts.flatMap(({ onset }) => onset.errorsMs)) },
    offset: { errorsMs: ascending(counts.flatMap(({ offset }) => offset.errorsMs)) },
    ...{ unspokenMs: sumOf('unspokenMs'), foundMs: sumOf('foundMs') },
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
  ...{ words: counts.words, wordsFound: counts.wordsFound },
  ...{ phrases: counts.phrases, phrasesFound: counts.phrasesFound },
  ...{ onset: edgeScoreOf(counts.onset), offset: edgeScoreOf(counts.offset) },
  ...{ unspokenMs: counts.unspokenMs, foundMs: counts.foundMs },
  wordsFoundMicro: microRatio(counts.wordsFound, counts.words),
  phrasesFoundMicro: microRatio(counts.phrasesFound, counts.phrases),
  foundMicro: microRatio(counts.foundMs, counts.unspokenMs),
});
