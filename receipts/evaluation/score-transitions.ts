import type { Range } from '../../contract/base/grammar.ts';
import type { LabelledTransitions, TransitionScore } from '../../contract/evaluation.ts';
import { microRatio, retrievalRatios } from './micro-ratio.ts';
import { overlappingPairs } from './overlapping-pairs.ts';

/** How many frames the ends of a transition may lie beside the labelled ones. */
const boundFrames = 4;

/** Times are whole ms, and begin and end at frames that may be rounded either way. */
const roundingMs = 2;

export type TransitionCounts = Pick<TransitionScore, 'labelled' | 'found' | 'matched' | 'bounded'>;

/** Pairs found transitions with labelled ones that they overlap, and counts those with the labelled ends. */
export function transitionCounts({ spans, frameRate }: LabelledTransitions, found: readonly Range[]): TransitionCounts {
  const reachMs = (boundFrames * 1000 * frameRate.denominator) / frameRate.numerator + roundingMs;
  const isNear = (one: number, other: number): boolean => Math.abs(one - other) <= reachMs;
  const pairs = overlappingPairs(spans, found);
  const bounded = pairs.filter(
    ({ label, found: span }) => isNear(label.startMs, span.startMs) && isNear(label.endMs, span.endMs),
  );
  return { labelled: spans.length, found: found.length, matched: pairs.length, bounded: bounded.length };
}

export const transitionScoreOf = ({ labelled, found, matched, bounded }: TransitionCounts): TransitionScore => ({
  ...{ labelled, found, matched, bounded },
  ...retrievalRatios(matched, found, labelled),
  boundedMicro: microRatio(bounded, labelled),
});
