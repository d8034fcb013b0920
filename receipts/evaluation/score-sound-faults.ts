import { type FaultScore, type LabelledFault, labelledFaultKinds } from '../../contract/evaluation.ts';
import { retrievalRatios } from './micro-ratio.ts';
import { overlap, overlappingPairs } from './overlapping-pairs.ts';

export type FaultCounts = Pick<FaultScore, 'labelled' | 'found' | 'matched'>;

/** A fault as it was found; both channels may have one at the same time. */
export type FoundFault = LabelledFault;

/** Faults of a kind that lie over each other are one: sides are found apart, and labelled together. */
function joined(faults: readonly FoundFault[]): FoundFault[] {
  const whole: FoundFault[] = [];
  for (const fault of faults.toSorted((one, other) => one.startMs - other.startMs)) {
    const last = whole.at(-1);
    if (last !== undefined && overlap(last, fault)) {
      whole[whole.length - 1] = { ...last, endMs: Math.max(last.endMs, fault.endMs) };
    } else whole.push(fault);
  }
  return whole;
}

/** Counts for each kind of fault, in the order of the closed list. */
export const faultCounts = (labelled: readonly LabelledFault[], found: readonly FoundFault[]): FaultCounts[] =>
  labelledFaultKinds.map((kind) => {
    const labels = labelled.filter((fault) => fault.kind === kind);
    const faults = joined(found.filter((fault) => fault.kind === kind));
    return { labelled: labels.length, found: faults.length, matched: overlappingPairs(labels, faults).length };
  });

export const faultScoresOf = (counts: readonly FaultCounts[]): FaultScore[] =>
  counts.flatMap(({ labelled, found, matched }, at) => {
    const kind = labelledFaultKinds[at];
    return kind === undefined ? [] : [{ kind, labelled, found, matched, ...retrievalRatios(matched, found, labelled) }];
  });
