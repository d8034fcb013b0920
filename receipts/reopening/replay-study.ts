import type { MediaOperation } from '../evidence/media-operation.ts';
import { replayAssessments, replayDecision } from '../evidence/replay-judgement.ts';
import { type ReplayContext, replayOperation } from '../evidence/replay-media.ts';
import { readableOf, replayReads } from '../evidence/replay-reads.ts';
import type { VerifiedSource } from '../sources/reopen-source.ts';
import {
  operationIdsOf,
  replayConclusion,
  type VerifiedConclusion,
  type VerifiedFindings,
} from '../study/replay-conclusion.ts';
import type { OpenedRun } from '../study/replay-opening.ts';
import { endsHere, replayStop, type VerifiedStop } from '../study/replay-stop.ts';
import { emptyTail, replayTail, type VerifiedTail } from './replay-tail.ts';

/** What an opened run came to so far. */
export interface VerifiedStudy {
  readonly findings: VerifiedFindings;
  /** Null until the study is concluded, and for ever where it was stopped. */
  readonly conclusion: VerifiedConclusion | null;
  readonly stop: VerifiedStop | null;
  readonly tail: VerifiedTail;
}

const passes = ['media.detect', 'media.subtitles'] as const;

/** A run with nothing done yet, but for what came with its source. */
function firstFindings({ pinnedEvidence }: OpenedRun, { registered }: VerifiedSource): VerifiedFindings {
  const pinned = registered.pinnedEvidence.flatMap(({ kind, contentId }, at) => {
    const artifact = pinnedEvidence[at];
    return artifact === undefined ? [] : [{ kind, artifactId: artifact.id, contentId }];
  });
  return { pinned, operations: [], reads: [], assessments: [], decision: null };
}

/**
 * Follows an opened run step by step for as long as its journal goes on. A step is written in one commit: it is there as a
 * whole or not at all, and the run ends only between two steps. Throws `EvidenceChainError`.
 */
export async function replayStudy(
  context: ReplayContext,
  opened: OpenedRun,
  source: VerifiedSource,
): Promise<VerifiedStudy> {
  const { journal, run } = context;
  const { startedAt } = opened;
  let findings = firstFindings(opened, source);
  const endOf = (open: MediaOperation | null): VerifiedStudy => {
    const stop = replayStop({ run, startedAt, operationIds: operationIdsOf(findings), open }, journal);
    return { findings, conclusion: null, stop, tail: emptyTail };
  };
  for (const capability of passes) {
    if (endsHere(journal)) return endOf(null);
    const { operation, completed } = await replayOperation(context, capability);
    if (completed === null) return endOf(operation);
    findings = { ...findings, operations: [...findings.operations, completed] };
  }
  if (endsHere(journal)) return endOf(null);
  const reads = await replayReads(context, readableOf(source, run.record.runtimeId, findings.operations));
  findings = { ...findings, reads };
  if (endsHere(journal)) return endOf(null);
  const assessments = await replayAssessments(context, reads);
  findings = { ...findings, assessments };
  if (endsHere(journal)) return endOf(null);
  if (assessments.length > 0) findings = { ...findings, decision: await replayDecision(context, assessments) };
  if (endsHere(journal)) return endOf(null);
  const conclusion = await replayConclusion(context, findings, startedAt);
  return { findings, conclusion, stop: null, tail: await replayTail(context, findings, conclusion) };
}
