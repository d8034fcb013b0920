import type { Range } from '../../contract/base/grammar.ts';
import type { SpeechScore } from '../../contract/evaluation.ts';
import { intersection, joined, remainder, totalLengthOf } from '../../rules/time-spans.ts';
import { microRatio, retrievalRatios } from './micro-ratio.ts';

/** Durations in ms over what was scored; those of several items are added up. */
export type SpeechCounts = Pick<SpeechScore, 'scoredMs' | 'labelledMs' | 'foundMs' | 'hitMs'>;

/**
 * Holds found speech against labelled speech inside a range. `collarMs` is the whole width of a stretch that is centred on
 * each labelled boundary and scored for neither side, as in pyannote.metrics (`UEMSupportMixin.extrude`); NIST's md-eval
 * takes half of it as its `-c`.
 */
export function speechCounts(
  labelled: readonly Range[],
  found: readonly Range[],
  range: Range,
  collarMs: number,
): SpeechCounts {
  const half = collarMs / 2;
  const collars = labelled
    .flatMap(({ startMs, endMs }) => [startMs, endMs])
    .map((boundary) => ({ startMs: boundary - half, endMs: boundary + half }));
  const scored = remainder(range, joined(collars));
  const [truth, claim] = [intersection(joined(labelled), scored), intersection(joined(found), scored)];
  return {
    scoredMs: totalLengthOf(scored),
    labelledMs: totalLengthOf(truth),
    foundMs: totalLengthOf(claim),
    hitMs: totalLengthOf(intersection(truth, claim)),
  };
}

/**
 * Detection by duration, defined as pyannote.metrics does: precision = hit / found, recall = hit / labelled, detection error
 * rate = (missed + false alarm) / labelled.
 */
export function speechScoreOf(collarMs: number, { scoredMs, labelledMs, foundMs, hitMs }: SpeechCounts): SpeechScore {
  const [missedMs, falseAlarmMs] = [labelledMs - hitMs, foundMs - hitMs];
  return {
    collarMs,
    scoredMs,
    labelledMs,
    foundMs,
    hitMs,
    missedMs,
    falseAlarmMs,
    ...retrievalRatios(hitMs, foundMs, labelledMs),
    detectionErrorRateMicro: microRatio(missedMs + falseAlarmMs, labelledMs),
  };
}
