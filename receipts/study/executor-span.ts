import type { Failure } from '../../contract/base/failure.ts';
import type { ExecutorSpanReceipt } from '../../contract/study/task.ts';
import { contentIdOf, hashOf } from '../core/canonical-json.ts';
import type { StudyRun } from '../core/study-run.ts';

export interface ExecutorSpan {
  readonly startedAt: string;
  readonly finishedAt: string;
  readonly resumes: number;
  /** Operations whose results were committed, in journal order. */
  readonly operationIds: readonly string[];
}

export type ExecutorOutcome =
  | { readonly outcome: 'completed'; readonly output: NonNullable<ExecutorSpanReceipt['output']> }
  | { readonly outcome: 'failed' | 'interrupted'; readonly reason: Failure };

export interface IdentifiedSpan {
  readonly receipt: ExecutorSpanReceipt;
  /** `C(receipt)`: what a study's `executorReceiptContentId` names. */
  readonly receiptContentId: string;
}

/** The receipt of one execution; `receiptId` covers everything but itself and `schema`. */
export function executorSpanOf({ record, ids }: StudyRun, span: ExecutorSpan, ending: ExecutorOutcome): IdentifiedSpan {
  const body = {
    runId: record.runtimeId,
    taskId: ids.taskId,
    agentId: ids.agentId,
    launchClaimId: ids.claimId,
    executionId: ids.executionId,
    executor: { id: 'studio.local-media-study', version: '1', kind: 'deterministic_local' as const },
    startedAt: span.startedAt,
    finishedAt: span.finishedAt,
    resumes: span.resumes,
    operationIds: [...span.operationIds],
    output: ending.outcome === 'completed' ? ending.output : null,
    outcome: ending.outcome,
    reason: ending.outcome === 'completed' ? null : ending.reason,
  };
  const receipt: ExecutorSpanReceipt = {
    schema: 'studio.executor-span.receipt.v1',
    receiptId: `span:${hashOf(body)}`,
    ...body,
  };
  return { receipt, receiptContentId: contentIdOf(receipt) };
}
