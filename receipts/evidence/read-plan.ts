import type { Range } from '../../contract/base/grammar.ts';
import type { EvidenceFact } from '../../contract/evidence/evidence-read.ts';
import { readLimits } from '../../contract/evidence/evidence-read.ts';
import type { ReadingAllowance } from '../../contract/evidence/reading-allowance.ts';
import { packReads } from './assessment-packing.ts';
import { boundedFacts, factsWithin, type ReadableEvidence, samplesPerMs } from './readable-evidence.ts';

/** One read to be made: half-open windows of the same evidence follow each other without a gap and cover the range. */
export interface PlannedRead {
  readonly evidence: ReadableEvidence;
  readonly window: Range;
}

const isWhole = (facts: readonly EvidenceFact[], window: Range): boolean => {
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
function farthest(facts: readonly EvidenceFact[], startMs: number, seams: readonly number[]): number {
  let whole = 0;
  let broken = seams.length;
  while (broken - whole > 1) {
    const middle = (whole + broken) >> 1;
    if (isWhole(facts, { startMs, endMs: seams[middle] ?? startMs })) whole = middle;
    else broken = middle;
  }
  return whole;
}

/** A window with the facts that a read of it returns. */
interface ReadWindow {
  readonly window: Range;
  readonly facts: readonly EvidenceFact[];
}

const windowOf = (facts: readonly EvidenceFact[], window: Range): ReadWindow => ({
  window,
  facts: boundedFacts(factsWithin(facts, window)),
});

/**
 * Cuts the range into the fewest windows that return all their facts: each reaches as far as it can. Speech and non-speech
 * windows take turns, so that every seam of speech evidence lies at a non-speech window. After `maximum` windows the last
 * reaches to the end of the range, whatever it has to drop.
 */
function cutWindows(evidence: ReadableEvidence, range: Range, maximum: number): ReadWindow[] {
  const { facts } = evidence;
  const windows: ReadWindow[] = [];
  const seams = seamsOf(evidence, range);
  let { startMs } = range;
  // The first fact that may reach into the window, and the first seam inside of it.
  let [fact, seam] = [0, 0];
  while (windows.length < maximum - 1 && startMs < range.endMs) {
    // A fact begins at each seam but the end of the range: one seam more holds a fact more than a read returns.
    const near = seams.slice(seam, seam + readLimits.maxItems + 1);
    const [from, until] = [startMs * samplesPerMs, ((near.at(-1) ?? startMs) + 1) * samplesPerMs];
    while ((facts[fact]?.endSample ?? Number.POSITIVE_INFINITY) <= from) fact += 1;
    let behind = fact;
    while ((facts[behind]?.startSample ?? Number.POSITIVE_INFINITY) < until) behind += 1;
    const reachable = facts.slice(fact, behind);
    const reached = farthest(reachable, startMs, near);
    const endMs = near[reached] ?? range.endMs;
    windows.push(windowOf(reachable, { startMs, endMs }));
    seam += reached + 1;
    startMs = endMs;
  }
  return startMs < range.endMs ? [...windows, windowOf(facts, { startMs, endMs: range.endMs })] : windows;
}

/** The reads of one evidence, of which the last may have to be given up. */
class EvidenceReads {
  readonly #evidence: ReadableEvidence;
  readonly #range: Range;
  #reads: readonly ReadWindow[];

  constructor(evidence: ReadableEvidence, range: Range, maximum: number) {
    this.#evidence = evidence;
    this.#range = range;
    this.#reads = cutWindows(evidence, range, maximum);
  }

  get reads(): readonly ReadWindow[] {
    return this.#reads;
  }

  planned(): PlannedRead[] {
    return this.#reads.map(({ window }) => ({ evidence: this.#evidence, window }));
  }

  /** The read before the last reaches to the end of the range instead. */
  giveUpLast(): void {
    const kept = this.#reads.slice(0, -1);
    const { window = this.#range } = kept.pop() ?? {};
    this.#reads = [...kept, windowOf(this.#evidence.facts, { ...window, endMs: this.#range.endMs })];
  }
}

/**
 * Which windows of which evidence a study reads: everything, in as few reads as that takes. Where its reads or assessments do
 * not suffice, the evidence with the most reads (the later of equals) gives one up until they do, and its last read is
 * truncated. Deterministic.
 */
export function planReads(
  range: Range,
  evidence: readonly ReadableEvidence[],
  { maxReads, maxAuditedAssessments }: ReadingAllowance,
): PlannedRead[] {
  const wanted = evidence.map((each) => new EvidenceReads(each, range, maxReads));
  for (;;) {
    const reads = wanted.flatMap((each) => each.reads);
    const counts = wanted.map((each) => each.reads.length);
    const most = Math.max(...counts);
    const fits = reads.length <= maxReads && packReads(reads).length <= maxAuditedAssessments;
    if (fits || most <= 1) return wanted.flatMap((each) => each.planned());
    wanted[counts.lastIndexOf(most)]?.giveUpLast();
  }
}
