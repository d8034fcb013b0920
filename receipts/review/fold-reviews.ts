import type { ApprovalReference } from '../../contract/review/publish-review.ts';
import type {
  PublishReviewDecisionReceipt,
  PublishReviewRevocationReceipt,
} from '../../contract/review/publish-review-receipts.ts';
import type { StoredReceipt } from '../core/stored-receipt.ts';
import type { FoldContext } from '../evidence/fold-context.ts';
import type { VerifiedConclusion } from '../study/fold-conclusion.ts';
import {
  type ReviewedIntake,
  recordReview,
  reviewFailed,
  reviewReceipt,
  reviewStarted,
} from './publish-review-decision.ts';
import {
  type RevokedApproval,
  recordRevocation,
  revocationFailed,
  revocationReceipt,
  revocationStarted,
} from './publish-review-revocation.ts';

/** A person's decision on the intake of a run, and its withdrawal. */
export interface VerifiedReview {
  readonly receipt: StoredReceipt<PublishReviewDecisionReceipt>;
  /** How later records name the decision. */
  readonly reference: ApprovalReference;
  readonly revocation: StoredReceipt<PublishReviewRevocationReceipt> | null;
}

/** How far the review of a run has come. */
export interface VerifiedReviews {
  readonly review: VerifiedReview | null;
  /** The decision that is being written down. */
  readonly deciding: ReviewedIntake | null;
  /** The withdrawal that is being written down. */
  readonly revoking: RevokedApproval | null;
  /** The approval under which something may begin: null from the first word of its withdrawal on. */
  readonly authority: ApprovalReference | null;
}

export const noReviews: VerifiedReviews = { review: null, deciding: null, revoking: null, authority: null };

/** A decision is about to be written down: on the queued intake of this run, when none stands. */
export function foldReviewStarted(
  { journal, run }: FoldContext,
  reviews: VerifiedReviews,
  { admission, intake }: VerifiedConclusion,
): VerifiedReviews {
  const { request, reviewerLabel } = journal.expect('publish.review.decision_started').data;
  const isQueued = intake.body.result.outcome === 'queued';
  if (!isQueued || reviews.review !== null || reviews.deciding !== null) throw journal.fault('type');
  const { reviewer, decision } = request;
  const deciding = { intake: admission.intake, reviewer: { id: reviewer.id, label: reviewerLabel }, decision };
  journal.take([reviewStarted(run, deciding)]);
  return { ...reviews, deciding };
}

export async function foldReviewCompleted(
  { journal, run, content, report }: FoldContext,
  reviews: VerifiedReviews,
): Promise<VerifiedReviews> {
  const { deciding } = reviews;
  if (deciding === null) throw journal.fault('type', 1);
  const { receiptContentId } = journal.expect('publish.review.decision_completed', 1).data;
  const receipt = await reviewReceipt.reopen(content, receiptContentId, () => reviewReceipt.of(run, deciding));
  const { events, refs: reference } = recordReview(run, deciding);
  journal.take(events);
  const { reviewId, decision } = receipt.body;
  report({ link: 'review', subject: reviewId, contentId: receiptContentId, detail: decision.outcome });
  return {
    review: { receipt, reference, revocation: null },
    deciding: null,
    revoking: null,
    authority: decision.outcome === 'approve_for_caption_production' ? reference : null,
  };
}

export function foldReviewFailed({ journal, run }: FoldContext, reviews: VerifiedReviews): VerifiedReviews {
  const { reason } = journal.expect('publish.review.decision_failed').data;
  if (reviews.deciding === null) throw journal.fault('type');
  journal.take([reviewFailed(run, reviews.deciding.intake, reason)]);
  return { ...reviews, deciding: null };
}

/** An approval is about to be withdrawn: the one that stands. */
export function foldRevocationStarted({ journal, run }: FoldContext, reviews: VerifiedReviews): VerifiedReviews {
  const { request, reviewerLabel } = journal.expect('publish.review.revocation_started').data;
  const { authority: approval } = reviews;
  if (approval === null) throw journal.fault('type');
  const { reviewer, revocation } = request;
  const revoking = { approval, reviewer: { id: reviewer.id, label: reviewerLabel }, revocation };
  journal.take([revocationStarted(run, revoking)]);
  return { ...reviews, revoking, authority: null };
}

export async function foldRevocationCompleted(
  { journal, run, content, report }: FoldContext,
  reviews: VerifiedReviews,
): Promise<VerifiedReviews> {
  const { revoking, review } = reviews;
  if (revoking === null || review === null) throw journal.fault('type', 1);
  const { receiptContentId } = journal.expect('publish.review.revocation_completed', 1).data;
  const revocation = await revocationReceipt.reopen(content, receiptContentId, () =>
    revocationReceipt.of(run, revoking),
  );
  journal.take(recordRevocation(run, revoking).events);
  const { revocationId, result } = revocation.body;
  report({ link: 'revocation', subject: revocationId, contentId: receiptContentId, detail: result.state });
  return { ...reviews, review: { ...review, revocation }, revoking: null };
}

export function foldRevocationFailed({ journal, run }: FoldContext, reviews: VerifiedReviews): VerifiedReviews {
  const { reason } = journal.expect('publish.review.revocation_failed').data;
  const { revoking } = reviews;
  if (revoking === null) throw journal.fault('type');
  journal.take([revocationFailed(run, revoking.approval, reason)]);
  return { ...reviews, revoking: null, authority: revoking.approval };
}
