import type { Range } from '../../contract/base/grammar.ts';
import type { KeyframeScore } from '../../contract/evaluation.ts';
import { microRatio } from './micro-ratio.ts';

export type KeyframeCounts = Pick<KeyframeScore, 'shots' | 'covered' | 'kept'>;

/** Counts the labelled shots in which at least one picture was taken. */
export const keyframeCounts = (shots: readonly Range[], takenAtMs: readonly number[]): KeyframeCounts => ({
  shots: shots.length,
  covered: shots.filter(({ startMs, endMs }) => takenAtMs.some((atMs) => startMs <= atMs && atMs < endMs)).length,
  kept: takenAtMs.length,
});

export const keyframeScoreOf = ({ shots, covered, kept }: KeyframeCounts): KeyframeScore => ({
  ...{ shots, covered, kept },
  coveredMicro: microRatio(covered, shots),
});
