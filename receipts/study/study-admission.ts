import type { EvidenceDecisionReceipt } from '../../contract/evidence/evidence-decision.ts';
import type { IntakeReference } from '../../contract/review/publish-review.ts';
import type { PublishReviewIntakeReceipt } from '../../contract/review/publish-review-intake.ts';
import type { ReadinessReference, StudyReference } from '../../contract/study/study-readiness.ts';
import { artifactRecorded, draftEvent } from '../core/event-draft.ts';
import { causeOf, type StudyRun } from '../core/study-run.ts';
import type { StepResult } from '../core/study-step.ts';
import { intakeReceipt } from './publish-review-intake.ts';
import { readinessReceipt } from './study-readiness.ts';

/** Under which names a study's admission is found again. */
export interface AdmissionReference {
  readonly readiness: ReadinessReference;
  readonly intake: IntakeReference;
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
  const cause = causeOf(run);
  const ready = readinessReceipt.of(run, { study, decision });
  const { object, artifact } = readinessReceipt.outputOf(run, ready);
  const readiness = readinessReceipt.referenceOf(run.record.runtimeId, ready, object.contentId);
  const receipt = intakeReceipt.of(run, ready);
  const entered = intakeReceipt.write('publish.review.intake_completed', run, receipt);
  const { intakeId, result } = receipt;
  return {
    objects: [object, ...entered.objects],
    events: [
      artifactRecorded(artifact, cause),
      draftEvent('publish.review.intake_started', { intakeId, readiness }, cause),
      ...entered.events,
    ],
    refs: { readiness, intake: entered.refs, outcome: result.outcome },
  };
}
