import type { Range } from '../../contract/base/grammar.ts';
import { claimStates, type EvidenceAssessmentReceipt } from '../../contract/evidence/evidence-assessment.ts';
import type { EvidenceReadReceipt } from '../../contract/evidence/evidence-read.ts';
import { type Coverage, type CoverageState, coverageReasons } from '../../contract/study/study-record.ts';
import { contentIdOf, hashOf } from '../core/canonical-json.ts';

/** What a study read, and what it made of it. */
export interface AssessedEvidence {
  readonly reads: readonly EvidenceReadReceipt[];
  readonly assessments: readonly EvidenceAssessmentReceipt[];
}

type Stretch = Range & { readonly state: CoverageState };

/** Each cited fact, in the gravest state of the claim that cites it. */
function claimedStretches(
  { claims }: EvidenceAssessmentReceipt,
  reads: ReadonlyMap<string, EvidenceReadReceipt>,
): Stretch[] {
  return claims.flatMap(({ states, citations }) =>
    citations.flatMap(({ receiptContentId, factIndexes }) => {
      const facts = reads.get(receiptContentId)?.facts.filter((_, index) => factIndexes.includes(index)) ?? [];
      return facts.map(({ startMs, endMs }) => ({ startMs, endMs, state: states[0] ?? 'unknown' }));
    }),
  );
}

/** What a truncated read dropped lies between the last fact that it returned and the end of its window. */
function droppedStretches({ authorization, facts, result }: EvidenceReadReceipt): Stretch[] {
  const startMs = facts.at(-1)?.endMs ?? authorization.startMs;
  const { endMs } = authorization;
  return result.truncated && startMs < endMs ? [{ startMs, endMs, state: 'truncated' }] : [];
}

function merged(stretches: readonly Stretch[]): Stretch[] {
  const joined: Stretch[] = [];
  for (const stretch of stretches) {
    const last = joined.at(-1);
    if (last?.state === stretch.state) joined[joined.length - 1] = { ...last, endMs: stretch.endMs };
    else joined.push(stretch);
  }
  return joined;
}

/** The gravest of what is said between two boundaries, between which nothing changes. */
function stateBetween(range: Range, stretches: readonly Stretch[], silent: CoverageState): CoverageState {
  const said = new Set(
    stretches.filter(({ startMs, endMs }) => startMs < range.endMs && range.startMs < endMs).map(({ state }) => state),
  );
  return claimStates.find((state) => said.has(state)) ?? silent;
}

/**
 * Divides a range by what the claims say of it, each stretch in the gravest state of the claims that cite a fact over it.
 * Where a read dropped facts the rest of its window counts as truncated. Neighbours differ in state.
 */
export function coverageOf(runId: string, range: Range, { reads, assessments }: AssessedEvidence): Coverage[] {
  const known = new Map(reads.map((read) => [contentIdOf(read), read]));
  const stretches = [
    ...assessments.flatMap((assessment) => claimedStretches(assessment, known)),
    ...reads.flatMap(droppedStretches),
  ];
  const bounds = new Set([range, ...stretches].flatMap(({ startMs, endMs }) => [startMs, endMs]));
  const ordered = [...bounds].sort((one, other) => one - other);
  const silent = reads.length === 0 ? 'unavailable' : 'uncovered';
  const pieces = ordered.slice(1).map((endMs, at) => {
    const piece = { startMs: ordered[at] ?? range.startMs, endMs };
    return { ...piece, state: stateBetween(piece, stretches, silent) };
  });
  return merged(pieces).map((stretch) => ({
    coverageId: `coverage:${hashOf({ runId, ...stretch })}`,
    ...stretch,
    reasonCode: coverageReasons[stretch.state],
  }));
}
