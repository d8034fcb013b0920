import type { EvidenceDecisionReceipt } from '../../contract/evidence/evidence-decision.ts';
import type { PublishReviewIntakeReceipt } from '../../contract/review/publish-review-intake.ts';
import type { ReadinessReference, StudyReference } from '../../contract/study/study-readiness.ts';
import { artifactRecorded, draftEvent } from '../core/event-draft.ts';
import { outputOf } from '../core/receipt-output.ts';
import { causeOf, type StudyRun } from '../core/study-run.ts';
import type { StepResult } from '../core/study-step.ts';
import { intakeOf } from './publish-review-intake.ts';
import { readinessOf, readinessOriginOf, readinessReferenceOf } from './study-readiness.ts';

/** Under which names a study's admission is found again. */
export interface AdmissionReference {
  readonly readiness: ReadinessReference;
  readonly intake: {
    readonly intakeId: string;
    readonly artifactId: string;
    readonly receiptId: string;
    readonly receiptContentId: string;
  };
  readonly outcome: PublishReviewIntakeReceipt['result']['outcome'];
}

/**
 * Says whether a finished study is ready and enters it into the review queue, or rejects it; comes after the end of the
 * execution, which `study` names. The host does this, no task of the run.
 */
export function admitStudy(
  run: StudyRun,
  study: StudyReference,
  decision: EvidenceDecisionReceipt | null,
): StepResult<AdmissionReference> {
  const { runtimeId: runId } = run.record;
  const cause = causeOf(run);
  const readiness = readinessOf(runId, study, decision);
  const ready = outputOf(readiness, {
    runId,
    ...readinessOriginOf(readiness),
    sourceArtifactIds: [study.artifactId, ...(readiness.decision === null ? [] : [readiness.decision.artifactId])],
    producer: null,
  });
  const reference = readinessReferenceOf(runId, readiness);
  const receipt = intakeOf(runId, readiness);
  const { intakeId, receiptId, result } = receipt;
  const entered = outputOf(receipt, {
    runId,
    kind: 'publish-review-intake-receipt',
    origin: { kind: 'publish_review_intake', intakeId },
    sourceArtifactIds: [ready.artifact.id],
    producer: null,
  });
  const names = { outputArtifactId: entered.artifact.id, receiptContentId: entered.object.contentId };
  return {
    objects: [ready.object, entered.object],
    events: [
      artifactRecorded(ready.artifact, cause),
      draftEvent('publish.review.intake_started', { intakeId, readiness: reference }, cause),
      artifactRecorded(entered.artifact, cause),
      draftEvent('publish.review.intake_completed', { intakeId, ...names, receipt }, cause),
    ],
    refs: {
      readiness: reference,
      intake: {
        intakeId,
        artifactId: entered.artifact.id,
        receiptId,
        receiptContentId: entered.object.contentId,
      },
      outcome: result.outcome,
    },
  };
}
