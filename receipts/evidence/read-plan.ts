import type { Range } from '../../contract/base/grammar.ts';
import { decisionLimits } from '../../contract/evidence/evidence-decision.ts';
import { readLimits } from '../../contract/evidence/evidence-read.ts';
import { packReads } from './assessment-packing.ts';
import { boundedFacts, factsWithin, type ReadableEvidence, samplesPerMs } from './readable-evidence.ts';

/** One read to be made: half-open windows of the same evidence follow each other without a gap and cover the range. */
export interface PlannedRead {
  readonly evidence: ReadableEvidence;
  readonly window: Range;
}

const isWhole = ({ facts }: ReadableEvidence, window: Range): boolean => {
  const within = factsWithin(facts, window);
  return boundedFacts(within).length === within.length;
};

/** Where a window may end without cutting through a fact: wherever one begins, and at the end of the range. */
function seamsOf({ facts }: ReadableEvidence, range: Range): number[] {
  const starts = facts.map(({ startSample }) => Math.floor(startSample / samplesPerMs));
  const inside = starts.filter((startMs) => startMs > range.startMs && startMs < range.endMs);
  return [...new Set(inside), range.endMs].sort((one, other) => one - other);
}

/**
 * Which of the ascending seams is the last that a window from `startMs` can reach and still return all its facts; the
 * first if none is. More seams never take facts away, so the search halves.
 */
function farthest(evidence: ReadableEvidence, startMs: number, seams: readonly number[]): number {
  let whole = 0;
  // A fact begins at each seam but the end of the range: one seam more holds a fact more than a read returns.
  let broken = Math.min(seams.length, readLimits.maxItems + 1);
  while (broken - whole > 1) {
    const middle = (whole + broken) >> 1;
    if (isWhole(evidence, { startMs, endMs: seams[middle] ?? startMs })) whole = middle;
    else broken = middle;
  }
  return whole;
}

/**
 * Cuts the range into the fewest windows that return all their facts: each reaches as far as it can. Speech and non-speech
 * windows take turns, so that every seam of speech evidence lies at a non-speech window. After `maximum` windows the last
 * reaches to the end of the range, whatever it has to drop.
 */
function cutWindows(evidence: ReadableEvidence, range: Range, maximum: number): Range[] {
  const windows: Range[] = [];
  let { startMs } = range;
  let seams = seamsOf(evidence, range);
  while (windows.length < maximum - 1 && startMs < range.endMs) {
    const reached = farthest(evidence, startMs, seams);
    const endMs = seams[reached] ?? range.endMs;
    windows.push({ startMs, endMs });
    seams = seams.slice(reached + 1);
    startMs = endMs;
  }
  return startMs < range.endMs ? [...windows, { startMs, endMs: range.endMs }] : windows;
}

const shortened = (windows: readonly Range[], count: number, range: Range): Range[] =>
  windows.slice(0, count).map((window, at) => (at === count - 1 ? { ...window, endMs: range.endMs } : window));

const fitsStudy = (plan: readonly PlannedRead[]): boolean => {
  const reads = plan.map(({ evidence, window }) => ({ facts: boundedFacts(factsWithin(evidence.facts, window)) }));
  return reads.length <= readLimits.maxReads && packReads(reads).length <= decisionLimits.maxAuditedAssessments;
};

/**
 * Which windows of which evidence a study reads: everything, in as few reads as that takes. Where sixteen reads or four
 * assessments do not suffice, the evidence with the most reads (the later of equals) gives one up until they do, and its
 * last read is truncated. Deterministic.
 */
export function planReads(range: Range, evidence: readonly ReadableEvidence[]): PlannedRead[] {
  const wanted = evidence.map((each) => ({ evidence: each, windows: cutWindows(each, range, readLimits.maxReads) }));
  const counts = wanted.map(({ windows }) => windows.length);
  for (;;) {
    const plan = wanted.flatMap(({ evidence, windows }, at) =>
      shortened(windows, counts[at] ?? 0, range).map((window) => ({ evidence, window })),
    );
    const most = Math.max(...counts);
    if (fitsStudy(plan) || most <= 1) return plan;
    counts[counts.lastIndexOf(most)] = most - 1;
  }
}
