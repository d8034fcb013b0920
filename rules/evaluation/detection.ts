import type { Range } from '../../contract/base/grammar.ts';
import {
  type CutScore,
  type FaultScore,
  type KeyframeScore,
  type LabeledCuts,
  type LabeledFault,
  type LabeledScreenTexts,
  type LabeledTransitions,
  labeledFaultKinds,
  type ScreenTextScore,
  type SpeechScore,
  type TransitionScore,
} from '../../contract/evaluation.ts';
import type { ScreenTextFact } from '../../contract/evidence/evidence.ts';
import { similarityOf } from '../text-comparison.ts';
import { intersection, joined, overlaps, remainder, totalLengthOf } from '../time-spans.ts';

/** `part / whole` in millionths, rounded to the nearest; null where `whole` is 0. Exact for products below 2^53. */
export const microRatio = (part: number, whole: number): number | null =>
  whole === 0 ? null : Math.round((part * 1_000_000) / whole);

/** Precision, recall and their harmonic mean F1 = 2PR / (P + R), from what was right, found and labeled. */
export const retrievalRatios = (right: number, found: number, labelled: number) => ({
  precisionMicro: microRatio(right, found),
  recallMicro: microRatio(right, labelled),
  f1Micro: microRatio(2 * right, found + labelled),
});

/** A labeled span and a found one that overlap. */
interface SpanPair<Label extends Range, Found extends Range> {
  readonly label: Label;
  readonly found: Found;
}

/** Pairs spans that overlap, each at most once, the labels in their order and with the first found one that is left. */
function overlappingPairs<Label extends Range, Found extends Range>(
  labelled: readonly Label[],
  found: readonly Found[],
): SpanPair<Label, Found>[] {
  const left = new Set(found);
  return labelled.flatMap((label) => {
    const match = [...left].find((each) => overlaps(label, each));
    if (match === undefined) return [];
    left.delete(match);
    return [{ label, found: match }];
  });
}

/** Durations in ms over what was scored; those of several items are added up. */
export type SpeechCounts = Pick<SpeechScore, 'scoredMs' | 'labelledMs' | 'foundMs' | 'hitMs'>;

/**
 * Compares found speech with labeled speech inside a range. `collarMs` is the whole width of a stretch that is centered on each
 * labeled boundary and scored for neither side, as in pyannote.metrics (`UEMSupportMixin.extrude`). NIST's md-eval takes half of
 * it as its `-c`.
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
 * Detection by duration, defined as pyannote.metrics does: precision = hit / found, recall = hit / labeled, detection error
 * rate = (missed + false alarm) / labeled.
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

/** Numbers of cuts; those of several items are added up. */
export type CutCounts = Pick<CutScore, 'labelled' | 'found' | 'matched'>;

/** How many frames two times lie apart; times are whole ms, so that less than half a frame is rounding. */
const framesApart = (one: number, other: number, { numerator, denominator }: LabeledCuts['frameRate']): number =>
  Math.round((Math.abs(one - other) * numerator) / (1000 * denominator));

/**
 * Pairs found cuts with labeled ones, each at most once, as many as can be. Shot boundary detection is scored so in TRECVID, and
 * events in mir_eval. Both lists ascend, and every label reaches equally far. So pairing from the left, always the first two that
 * reach each other, gives the largest number.
 */
export function cutCounts(
  { atMs, frameRate }: LabeledCuts,
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

/** How many frames the ends of a transition may lie beside the labeled ones. */
const boundFrames = 4;

/** Times are whole ms, and begin and end at frames that may be rounded either way. */
const roundingMs = 2;

export type TransitionCounts = Pick<TransitionScore, 'labelled' | 'found' | 'matched' | 'bounded'>;

/** Pairs found transitions with labeled ones that they overlap, and counts those with the labeled ends. */
export function transitionCounts({ spans, frameRate }: LabeledTransitions, found: readonly Range[]): TransitionCounts {
  const reachMs = (boundFrames * 1000 * frameRate.denominator) / frameRate.numerator + roundingMs;
  const isNear = (one: number, other: number): boolean => Math.abs(one - other) <= reachMs;
  const pairs = overlappingPairs(spans, found);
  const bounded = pairs.filter(
    ({ label, found: span }) => isNear(label.startMs, span.startMs) && isNear(label.endMs, span.endMs),
  );
  return { labelled: spans.length, found: found.length, matched: pairs.length, bounded: bounded.length };
}

export const transitionScoreOf = ({ labelled, found, matched, bounded }: TransitionCounts): TransitionScore => ({
  labelled,
  found,
  matched,
  bounded,
  ...retrievalRatios(matched, found, labelled),
  boundedMicro: microRatio(bounded, labelled),
});

export type KeyframeCounts = Pick<KeyframeScore, 'shots' | 'covered' | 'kept'>;

/** Counts the labeled shots in which at least one picture was taken. */
export const keyframeCounts = (shots: readonly Range[], takenAtMs: readonly number[]): KeyframeCounts => ({
  shots: shots.length,
  covered: shots.filter(({ startMs, endMs }) => takenAtMs.some((atMs) => startMs <= atMs && atMs < endMs)).length,
  kept: takenAtMs.length,
});

export const keyframeScoreOf = ({ shots, covered, kept }: KeyframeCounts): KeyframeScore => ({
  shots,
  covered,
  kept,
  coveredMicro: microRatio(covered, shots),
});

export type FaultCounts = Pick<FaultScore, 'labelled' | 'found' | 'matched'>;

/** A fault as it was found; both channels may have one at the same time. */
export type FoundFault = LabeledFault;

/** Faults of a kind that lie over each other are one: sides are found apart, and labeled together. */
function joinedFaults(faults: readonly FoundFault[]): FoundFault[] {
  const whole: FoundFault[] = [];
  for (const fault of faults.toSorted((one, other) => one.startMs - other.startMs)) {
    const last = whole.at(-1);
    if (last !== undefined && overlaps(last, fault)) {
      whole[whole.length - 1] = { ...last, endMs: Math.max(last.endMs, fault.endMs) };
    } else whole.push(fault);
  }
  return whole;
}

/** Counts for each kind of fault, in the order of the closed list. */
export const faultCounts = (labelled: readonly LabeledFault[], found: readonly FoundFault[]): FaultCounts[] =>
  labeledFaultKinds.map((kind) => {
    const labels = labelled.filter((fault) => fault.kind === kind);
    const faults = joinedFaults(found.filter((fault) => fault.kind === kind));
    return { labelled: labels.length, found: faults.length, matched: overlappingPairs(labels, faults).length };
  });

export const faultScoresOf = (counts: readonly FaultCounts[]): FaultScore[] =>
  counts.flatMap(({ labelled, found, matched }, at) => {
    const kind = labeledFaultKinds[at];
    return kind === undefined ? [] : [{ kind, labelled, found, matched, ...retrievalRatios(matched, found, labelled) }];
  });

/** From which likeness on, of 0 to 1, a text is a labeled one that was read wrongly, and not another. */
const misread = 0.5;

export type ScreenTextCounts = Pick<
  ScreenTextScore,
  'labelled' | 'found' | 'passed' | 'wrong' | 'invented' | 'withheld'
>;

/** A text as far as it is scored. */
export type FoundText = Pick<ScreenTextFact, 'startMs' | 'endMs' | 'text' | 'outcome'>;

/**
 * Compares the texts that passed the gates with those on the screen: by letters and digits alone, without case. A text that is
 * like no labeled one of the same time was invented. One that is read in two parts of its time is found once, and right twice.
 */
export function screenTextCounts(labelled: LabeledScreenTexts, found: readonly FoundText[]): ScreenTextCounts {
  const passed = found.filter(({ outcome }) => outcome === 'passed');
  const likeness = passed.map((text) =>
    Math.max(
      0,
      ...labelled.filter((label) => overlaps(label, text)).map((label) => similarityOf(label.text, text.text)),
    ),
  );
  return {
    labelled: labelled.length,
    found: labelled.filter((label) =>
      passed.some((text) => overlaps(label, text) && similarityOf(label.text, text.text) === 1),
    ).length,
    passed: passed.length,
    wrong: likeness.filter((value) => misread <= value && value < 1).length,
    invented: likeness.filter((value) => value < misread).length,
    withheld: found.length - passed.length,
  };
}

export const screenTextScoreOf = (counts: ScreenTextCounts): ScreenTextScore => ({
  ...counts,
  foundMicro: microRatio(counts.found, counts.labelled),
  wrongMicro: microRatio(counts.wrong, counts.passed),
  inventedMicro: microRatio(counts.invented, counts.passed),
});
