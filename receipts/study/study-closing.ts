import type { Failure } from '../../contract/base/failure.ts';
import type { ExecutorSpanReceipt } from '../../contract/study/task.ts';
import type { EventDraft } from '../../storage/ledger/ledger.ts';
import { draftEvent } from '../core/event-draft.ts';
import { causeOf, type StudyRun } from '../core/study-run.ts';
import { type ExecutorSpan, executorSpanOf, type IdentifiedSpan } from './executor-span.ts';

export interface FinishedExecution extends IdentifiedSpan {
  readonly event: EventDraft;
}

/** The end of an execution that delivered a study record; readiness and intake follow it. */
export function executionFinished(
  run: StudyRun,
  span: ExecutorSpan,
  output: NonNullable<ExecutorSpanReceipt['output']>,
): FinishedExecution {
  const identified = executorSpanOf(run, span, { outcome: 'completed', output });
  return { ...identified, event: draftEvent('executor.finished', { receipt: identified.receipt }, causeOf(run)) };
}

/** The last event of a run that came to its end. */
export const taskCompleted = (run: StudyRun): EventDraft =>
  draftEvent(
    'task.transitioned',
    { taskId: run.ids.taskId, agentId: run.ids.agentId, status: 'completed', reason: null },
    causeOf(run),
  );

export interface StoppedStudy {
  readonly lifecycle: 'failed' | 'interrupted';
  readonly reason: Failure;
  readonly span: ExecutorSpan;
}

/**
 * The closing events of a run that ends without its study, after the failure of the operation that was open, if one was.
 * An opened run only: before `executor.started` there is nothing to close.
 */
export function stopStudy(run: StudyRun, stopped: StoppedStudy): readonly EventDraft[] {
  const { lifecycle, reason, span } = stopped;
  const { taskId, agentId, executionId } = run.ids;
  const cause = causeOf(run);
  const { receipt } = executorSpanOf(run, span, { outcome: lifecycle, reason });
  const interrupted = { reason, taskIds: [taskId], executionIds: [executionId] };
  return [
    ...(lifecycle === 'interrupted' ? [draftEvent('runtime.interrupted', interrupted, cause)] : []),
    draftEvent('executor.finished', { receipt }, cause),
    draftEvent('task.transitioned', { taskId, agentId, status: lifecycle, reason }, cause),
  ];
}
