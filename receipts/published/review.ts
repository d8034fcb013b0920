import type {
  ApprovalReference,
  PublishReview,
  PublishReviewIntakeReceipt,
  PublishReviewRevocation,
  PublishReviewRevocationReceipt,
} from '../../contract/review.ts';
import type { ReadinessReference } from '../../contract/study/study-record.ts';
import type { VerifiedRuntime } from '../fold.ts';
import type { AdmissionReference } from '../stages/admit.ts';
import { revocationReceipt } from '../stages/review.ts';
import { runtimeListOf } from './runtime.ts';

/** The entry of a study into the review queue, or its rejection, with the readiness that it rests on. */
type QueuedIntake = AdmissionReference['intake'] &
  PublishReviewIntakeReceipt['result'] & { readonly readiness: ReadinessReference };

/** The review queue of a runtime: at most one intake, reopened with all that it rests on. */
export function reviewQueueOf(runtime: VerifiedRuntime) {
  const conclusion = runtime.execution?.study.conclusion ?? null;
  if (conclusion === null) return { ...runtimeListOf(runtime), intakes: [] };
  const { admission, intake } = conclusion;
  const queued: QueuedIntake = { ...admission.intake, readiness: admission.readiness, ...intake.body.result };
  return { ...runtimeListOf(runtime), intakes: [queued] };
}

/** The valid approval or rejection of a runtime, as requests name it; null before a decision. */
export const currentApprovalOf = ({ execution }: VerifiedRuntime): ApprovalReference | null =>
  execution?.study.tail.review?.reference ?? null;

const revocationOf = (runId: string, receipt: PublishReviewRevocationReceipt): PublishReviewRevocation => ({
  ...revocationReceipt.referenceOf(runId, receipt),
  integrity: 'stored_revocation_and_verified_approval',
  producer: 'host_publish_review_v1',
  reviewer: {
    id: receipt.reviewer.id,
    label: receipt.reviewer.label,
    attestation: receipt.reviewer.attestation.statement,
  },
  ...receipt.revocation,
});

/** The reviews of a runtime as the wire shows them: at most one, with its revocation. */
export function publishedReviewsOf(runtime: VerifiedRuntime): PublishReview[] {
  const review = runtime.execution?.study.tail.review ?? null;
  const [intake] = reviewQueueOf(runtime).intakes;
  if (review === null || intake === undefined) return [];
  const { body } = review.receipt;
  const { reviewer, decision, input } = body;
  const { runtimeId } = runtime.accepted.record;
  const revocation = review.revocation === null ? null : revocationOf(runtimeId, review.revocation.body);
  const state = decision.outcome === 'reject_with_reasons' ? 'rejected' : 'approved_for_caption_production';
  return [
    {
      ...review.reference,
      integrity: 'stored_review_and_verified_queued_intake',
      producer: 'host_publish_review_v1',
      intake: input.intake,
      readiness: intake.readiness,
      reviewer: { id: reviewer.id, label: reviewer.label, attestation: reviewer.attestation.statement },
      ...decision,
      state: revocation === null ? state : 'approval_revoked',
      revocation,
    },
  ];
}
