import type { ApprovalReference } from '../../contract/review/publish-review.ts';
import type { PublishReview, PublishReviewRevocation } from '../../contract/review/publish-review-answers.ts';
import type { PublishReviewRevocationReceipt } from '../../contract/review/publish-review-receipts.ts';
import { revocationReceipt } from '../review/publish-review-revocation.ts';
import type { VerifiedRuntime } from './reopen-runtime.ts';
import { reviewQueueOf } from './review-queue.ts';

/** The approval or rejection that stands in a runtime, as requests name it; null before a decision. */
export const standingReviewOf = ({ execution }: VerifiedRuntime): ApprovalReference | null =>
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
