import type { SubtitleScore } from '../../contract/evaluation.ts';
import { retrievalRatios } from './micro-ratio.ts';

interface Cue {
  readonly startMs: number;
  readonly endMs: number;
  readonly text: string;
}

/** A labelled cue and the found one of the same text, by their places in their lists. */
export interface CuePair {
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
 * Pairs cues of equal text without crossing: a longest common subsequence of the texts, and of all the longest the one with
 * the least error of time. Takes as many steps as the product of both lengths.
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

/** Exact cues as shares of what was found and labelled; the mean error is that of all starts and ends that were matched. */
export function subtitleScoreOf(counts: SubtitleCounts): SubtitleScore {
  const { labelled, found, matched, exact, startErrorMs, endErrorMs } = counts;
  const meanErrorUs = matched === 0 ? null : Math.round(((startErrorMs + endErrorMs) * 1000) / (2 * matched));
  return { ...counts, meanErrorUs, ...retrievalRatios(exact, found, labelled) };
}
