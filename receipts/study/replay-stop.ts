import type { Failure } from '../../contract/base/failure.ts';
import type { ExecutorSpanReceipt } from '../../contract/study/task.ts';
import { demandDerived } from '../core/evidence-chain-error.ts';
import type { JournalCursor } from '../core/journal-cursor.ts';
import type { StudyRun } from '../core/study-run.ts';
import { type MediaOperation, operationFailed } from '../evidence/media-operation.ts';
import { executorSpanOf } from './executor-span.ts';
import { stopStudy } from './study-closing.ts';

/** The end of a run that came to no study. */
export interface VerifiedStop {
  readonly lifecycle: 'failed' | 'interrupted';
  readonly reason: Failure;
  readonly span: ExecutorSpanReceipt;
}

export interface StoppedRun {
  readonly run: StudyRun;
  readonly startedAt: string;
  /** Operations that were completed, in the order of the journal. */
  readonly operationIds: readonly string[];
  /** The pass that was under way. */
  readonly open: MediaOperation | null;
}

const closing = ['media.operation_failed', 'runtime.interrupted', 'executor.finished'] as const;

/** Whether a run has nothing more to say, or goes on with its bad end. Asked only between two steps. */
export const endsHere = (journal: JournalCursor): boolean => {
  const type = journal.typeAt();
  return type === null || closing.some((each) => each === type);
};

/**
 * Takes the closing events of a run that ended without its study; null for one that goes on, or ended without a word.
 * Throws `EvidenceChainError`.
 */
export function replayStop(
  { run, startedAt, operationIds, open }: StoppedRun,
  journal: JournalCursor,
): VerifiedStop | null {
  if (journal.typeAt() === null) return null;
  const failed = journal.typeAt() === 'media.operation_failed' ? 1 : 0;
  const offset = journal.typeAt(failed) === 'runtime.interrupted' ? failed + 1 : failed;
  const { receipt: span } = journal.expect('executor.finished', offset).data;
  const { outcome, reason, finishedAt, resumes } = span;
  if (outcome === 'completed' || reason === null) throw journal.fault('data.receipt.outcome', offset);
  const execution = { startedAt, finishedAt, resumes, operationIds };
  demandDerived('execution', span, executorSpanOf(run, execution, { outcome, reason }).receipt);
  if (failed > 0) {
    if (open === null) throw journal.fault('type');
    journal.take([operationFailed(run, open, reason)]);
  }
  journal.take(stopStudy(run, { lifecycle: outcome, reason, span: execution }));
  return { lifecycle: outcome, reason, span };
}
