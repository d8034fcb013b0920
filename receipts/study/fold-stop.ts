import type { Failure } from '../../contract/base/failure.ts';
import type { ExecutorSpanReceipt } from '../../contract/study/task.ts';
import { demandDerived } from '../core/evidence-chain-error.ts';
import type { FoldContext } from '../evidence/fold-context.ts';
import { operationFailed } from '../evidence/media-operation.ts';
import { executorSpanOf } from './executor-span.ts';
import { stopStudy } from './study-closing.ts';
import type { StudyProgress } from './study-progress.ts';

/** The end of a run that came to no study. */
export interface VerifiedStop {
  readonly lifecycle: 'failed' | 'interrupted';
  readonly reason: Failure;
  readonly span: ExecutorSpanReceipt;
}

/**
 * Takes the closing events of a run that ended without its study; the pass that was open need not be closed by a word of its
 * own. Throws `EvidenceChainError`.
 */
export function foldStop(
  { run, journal }: FoldContext,
  startedAt: string,
  { openPass, operationIds }: StudyProgress,
): VerifiedStop {
  const failed = journal.typeAt() === 'media.operation_failed' ? 1 : 0;
  const offset = journal.typeAt(failed) === 'runtime.interrupted' ? failed + 1 : failed;
  const { receipt: span } = journal.expect('executor.finished', offset).data;
  const { outcome, reason, finishedAt, resumes } = span;
  if (outcome === 'completed' || reason === null) throw journal.fault('data.receipt.outcome', offset);
  const execution = { startedAt, finishedAt, resumes, operationIds };
  demandDerived('execution', span, executorSpanOf(run, execution, { outcome, reason }).receipt);
  if (failed > 0) {
    if (openPass === null) throw journal.fault('type');
    journal.take([operationFailed(run, openPass, reason)]);
  }
  journal.take(stopStudy(run, { lifecycle: outcome, reason, span: execution }));
  return { lifecycle: outcome, reason, span };
}
