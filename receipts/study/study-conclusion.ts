import type { StoredObject } from '../../contract/base/stored-object.ts';
import type { StudyReference } from '../../contract/study/study-readiness.ts';
import type { ExecutorSpanReceipt } from '../../contract/study/task.ts';
import type { StudyRun } from '../core/study-run.ts';
import type { StepResult } from '../core/study-step.ts';
import type { ExecutorSpan } from './executor-span.ts';
import { type AdmissionReference, admitStudy } from './study-admission.ts';
import { executionFinished, taskCompleted } from './study-closing.ts';
import { concludeStudy, type StudyFindings } from './study-record.ts';

/** Under which names the end of a study is found again. */
export interface ConclusionReference {
  readonly study: StudyReference;
  readonly span: ExecutorSpanReceipt;
  readonly admission: AdmissionReference;
}

/**
 * The end of a run that delivers a study: its record, the end of the execution, readiness, the entry into the review queue or
 * its rejection, and the completed task.
 */
export function endStudy(run: StudyRun, findings: StudyFindings, span: ExecutorSpan): StepResult<ConclusionReference> {
  const concluded = concludeStudy(run, findings);
  const finished = executionFinished(run, span, concluded.refs);
  const study: StudyReference = {
    ...concluded.refs,
    executorReceiptId: finished.receipt.receiptId,
    executorReceiptContentId: finished.receiptContentId,
  };
  const admitted = admitStudy(run, study, findings.decision);
  const objects: readonly StoredObject[] = [...concluded.objects, ...admitted.objects];
  return {
    objects,
    events: [...concluded.events, finished.event, ...admitted.events, taskCompleted(run)],
    refs: { study, span: finished.receipt, admission: admitted.refs },
  };
}
