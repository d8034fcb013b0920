import type { EvidenceArtifact, FurtherArtifact } from '../../contract/evidence/evidence.ts';
import type { EvidenceKind } from '../../kinds/kind.ts';
import { EvidenceChainError } from '../evidence-chain.ts';

type Measured = EvidenceArtifact | FurtherArtifact;
type Fact = Measured['facts'][number];

const fault = (place: string): EvidenceChainError => new EvidenceChainError('evidence', place);

/** The facts of each sort are counted from 0, each number once. Those of several channels need not be in the order of time. */
function checkCounts(facts: readonly Fact[]): void {
  const counted = new Map<string, Set<number>>();
  const totals = new Map<string, number>();
  for (const { kind } of facts) totals.set(kind, (totals.get(kind) ?? 0) + 1);
  for (const [at, fact] of facts.entries()) {
    if (!('index' in fact)) continue;
    const known = counted.get(fact.kind) ?? new Set();
    if (known.has(fact.index) || fact.index >= (totals.get(fact.kind) ?? 0)) throw fault(`facts[${at}].index`);
    counted.set(fact.kind, known.add(fact.index));
  }
}

/** A measurement over a whole range is one fact. It may end before the range, as a drawing does with its sound. */
function checkWhole({ facts, input: { range } }: Measured): void {
  const [fact] = facts;
  if (facts.length !== 1 || fact === undefined || !('startMs' in fact)) throw fault('facts');
  if (fact.startMs !== range.startMs) throw fault('facts[0].startMs');
}

/** They follow each other without a gap from the start of the range to its end. */
function checkGapless({ facts, input: { range } }: Measured): void {
  let reached = range.startMs;
  for (const [at, fact] of facts.entries()) {
    if (!('startMs' in fact)) continue;
    if (fact.startMs !== reached) throw fault(`facts[${at}].startMs`);
    reached = fact.endMs;
  }
  if (facts.length > 0 && reached !== range.endMs) throw fault('facts');
}

/**
 * They are counted in the order of time, and none overlaps another. A moment is another one than the next, and lies before the end
 * of the range.
 */
function checkSuccession({ facts, input: { range } }: Measured): void {
  let reached = range.startMs;
  for (const [at, fact] of facts.entries()) {
    if ('index' in fact && fact.index !== at) throw fault(`facts[${at}].index`);
    const span = 'atMs' in fact && !('startMs' in fact) ? { startMs: fact.atMs, endMs: fact.atMs + 1 } : fact;
    if (!('startMs' in span)) continue;
    if (span.startMs < reached) throw fault(`facts[${at}]`);
    if (span.endMs <= span.startMs || span.endMs > range.endMs) throw fault(`facts[${at}]`);
    reached = span.endMs;
  }
}

/**
 * Checks the facts of one artifact against each other and against its range, as its kind demands, whatever was measured. Throws
 * `EvidenceChainError` of the evidence.
 */
export function checkFactsAmongThemselves(kind: EvidenceKind, artifact: Measured): void {
  checkCounts(artifact.facts);
  if (kind.order === 'whole') checkWhole(artifact);
  if (kind.order === 'gapless') checkGapless(artifact);
  if (kind.order === 'gapless' || kind.order === 'successive') checkSuccession(artifact);
  const place = kind.contradiction?.(artifact) ?? null;
  if (place !== null) throw fault(place);
}
