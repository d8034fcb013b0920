import type { DecisionReason, EvidenceDecisionReceipt } from '../../contract/evidence/assessment.ts';
import {
  type IntakeReference,
  type PublishReviewIntakeReceipt,
  publishReviewIntakeReceipt,
} from '../../contract/review.ts';
import {
  type GapReason,
  gapReasons,
  maximumReviewReceiptBytes,
  type ReadinessReference,
  type StudyReadinessReceipt,
  type StudyReference,
  studyReadinessReceipt,
} from '../../contract/study/study-record.ts';
import { hashOf } from '../../formats/canonical-json.ts';
import { artifactRecorded, draftEvent } from '../journal.ts';
import { RunReceipt } from '../record.ts';
import { decisionReceipt } from '../stages/assess.ts';
import { causeOf, type StepResult, type StudyRun } from '../study-run.ts';

/** What a decision's reason means for a reviewer; a study without a decision is not supported at its root. */
const gapReasonOf: Readonly<Record<DecisionReason, GapReason | null>> = {
  audited_claim_truncated: 'hidden_gap',
  audited_claim_withheld: 'non_supported_root_coverage',
  audited_claim_unknown: 'non_supported_root_coverage',
  all_audited_claims_supported: null,
};

function gapsOf(receipt: EvidenceDecisionReceipt | null): GapReason[] {
  if (receipt === null) return ['non_supported_root_coverage'];
  const found = new Set(receipt.decision.reasonCodes.map((code) => gapReasonOf[code]));
  return gapReasons.filter((reason) => found.has(reason));
}

/** What a readiness rests on. */
interface DecidedStudy {
  readonly study: StudyReference;
  readonly decision: EvidenceDecisionReceipt | null;
}

/** Whether a study may be put before a reviewer. Follows from the study and its decision alone. */
export const readinessReceipt = new RunReceipt<StudyReadinessReceipt, 'readinessId', DecidedStudy>({
  link: 'readiness',
  schema: studyReadinessReceipt,
  maximumBytes: maximumReviewReceiptBytes,
  name: 'studio.study-readiness.receipt.v1',
  idPrefix: 'study-readiness-receipt',
  kind: 'study-readiness-receipt',
  about: 'readinessId',
  origin: ({ readinessId }) => ({ kind: 'study_readiness', readinessId }),
  sources: ({ study, decision }) => [study.artifactId, ...(decision === null ? [] : [decision.artifactId])],
  producer: 'host',
  derive: ({ record: { runtimeId: runId } }, { study, decision }) => {
    const reasonCodes = gapsOf(decision);
    return {
      readinessId: `study-readiness:${hashOf({ runId, study })}`,
      study,
      decision: decision === null ? null : decisionReceipt.referenceOf(runId, decision),
      producer: { id: 'studio.deterministic-study-readiness-gate', version: '1' },
      outcome: reasonCodes.length === 0 ? 'ready' : 'not_ready',
      reasonCodes,
    };
  },
});

/** One intake for each readiness receipt of a run. */
export const intakeIdOf = (runId: string, readiness: ReadinessReference): string =>
  `publish-review-intake:${hashOf({ runId, readiness })}`;

/** Queues a study that is ready, rejects one that is not, for the reasons of its readiness. */
export const intakeReceipt = new RunReceipt<PublishReviewIntakeReceipt, 'intakeId', StudyReadinessReceipt>({
  link: 'intake',
  schema: publishReviewIntakeReceipt,
  maximumBytes: maximumReviewReceiptBytes,
  name: 'studio.publish-review-intake.receipt.v1',
  idPrefix: 'publish-review-intake-receipt',
  kind: 'publish-review-intake-receipt',
  about: 'intakeId',
  origin: ({ intakeId }) => ({ kind: 'publish_review_intake', intakeId }),
  sources: ({ input }) => [input.readiness.artifactId],
  producer: 'host',
  derive: ({ record: { runtimeId } }, receipt) => {
    const readiness = readinessReceipt.referenceOf(runtimeId, receipt);
    return {
      intakeId: intakeIdOf(runtimeId, readiness),
      input: {
        readiness,
        verification: {
          integrity: 'stored_study_readiness_and_recursive_inputs_verified',
          producer: 'deterministic_study_readiness_gate_v1',
        },
      },
      producer: {
        id: 'studio.host-publish-review-intake',
        version: '1',
        policy: 'queue_exact_verified_study_readiness_only',
      },
      result: {
        outcome: receipt.outcome === 'ready' ? 'queued' : 'rejected',
        reasonCodes: receipt.reasonCodes,
      },
    };
  },
});

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
