import type { CutScore, LabelledCuts } from '../../contract/evaluation.ts';
import { retrievalRatios } from './micro-ratio.ts';

/** Numbers of cuts; those of several items are added up. */
export type CutCounts = Pick<CutScore, 'labelled' | 'found' | 'matched'>;

/** How many frames two times lie apart; times are whole ms, so that less than half a frame is rounding. */
const framesApart = (one: number, other: number, { numerator, denominator }: LabelledCuts['frameRate']): number =>
  Math.round((Math.abs(one - other) * numerator) / (1000 * denominator));

/**
 * Pairs found cuts with labelled ones, each at most once, as many as can be (as shot boundary detection is scored in
 * TRECVID, and events in mir_eval). Both lists ascend, and every label reaches equally far: pairing from the left, always
 * the first two that reach each other, gives the largest number.
 */
export function cutCounts(
  { atMs, frameRate }: LabelledCuts,
  found: readonly number[],
  toleranceFrames: number,
): CutCounts {
  let matched = 0;
  for (let label = 0, at = 0; label < atMs.length && at < found.length; ) {
    const [truth, claim] = [atMs[label] ?? 0, found[at] ?? 0];
    const reaches = framesApart(truth, claim, frameRate) <= toleranceFrames;
    if (reaches) matched += 1;
    if (reaches || truth < claim) label += 1;
    if (reaches || truth >= claim) at += 1;
  }
  return { labelled: atMs.length, found: found.length, matched };
}

export const cutScoreOf = (toleranceFrames: number, { labelled, found, matched }: CutCounts): CutScore => ({
  toleranceFrames,
  labelled,
  found,
  matched,
  ...retrievalRatios(matched, found, labelled),
});
