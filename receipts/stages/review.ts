import type { Failure } from '../../contract/base/errors.ts';
import {
  type ApprovalReference,
  attestations,
  type IntakeReference,
  type PublishReviewDecisionReceipt,
  type PublishReviewRevocationReceipt,
  publishReviewDecisionReceipt,
  publishReviewRevocationReceipt,
  type ReviewDecision,
  type Reviewer,
  type RevocationDecision,
} from '../../contract/review.ts';
import { maximumReviewReceiptBytes } from '../../contract/study/study-record.ts';
import { hashOf } from '../../formats/canonical-json.ts';
import { draftEvent } from '../journal.ts';
import { RunReceipt } from '../record.ts';
import type { StoredReceipt } from '../stored-records.ts';
import { causeOf, type FoldContext, type StepResult, type StudyRun } from '../study-run.ts';
import type { VerifiedConclusion } from './admit.ts';

import type { VerifiedCaptions } from './captions.ts';
import { isExplaining, type VerifiedExplanations } from './explanation.ts';
import type { LaterStage } from './stage.ts';

/** One review for each intake of a run. */
export const reviewIdOf = (runId: string, intake: IntakeReference): string =>
  `publish-review:${hashOf({ runId, intake })}`;

/** The decision of a reviewer on an intake; everything else of the receipt follows from it. */
export interface ReviewedIntake {
  readonly intake: IntakeReference;
  readonly reviewer: Reviewer;
  readonly decision: ReviewDecision;
}

/** The receipt of a decision: nothing in it but the request, so that the same decision gives the same receipt. */
const reviewReceipt = new RunReceipt<PublishReviewDecisionReceipt, 'reviewId', ReviewedIntake>({
  link: 'review',
  schema: publishReviewDecisionReceipt,
  maximumBytes: maximumReviewReceiptBytes,
  name: 'studio.publish-review-decision.receipt.v1',
  idPrefix: 'publish-review-decision-receipt',
  kind: 'publish-review-decision-receipt',
  about: 'reviewId',
  origin: ({ reviewId }) => ({ kind: 'publish_review', reviewId }),
  sources: ({ input }) => [input.intake.artifactId],
  producer: 'host',
  derive: ({ record }, { intake, reviewer, decision }) => ({
    reviewId: reviewIdOf(record.runtimeId, intake),
    input: {
      intake,
      verification: {
        integrity: 'stored_intake_and_verified_study_readiness',
        producer: 'host_publish_review_intake_v1',
        outcome: 'queued',
      },
    },
    reviewer: {
      ...reviewer,
      attestation: { kind: 'local_operator_attestation_v1', statement: attestations.decision },
    },
    producer: { id: 'studio.host-publish-review', version: '1', policy: 'attested_review_of_verified_queued_intake' },
    decision,
  }),
});

/** Journaled before a decision is written down. */
export const reviewStarted = (run: StudyRun, { intake, reviewer, decision }: ReviewedIntake) =>
  draftEvent(
    'publish.review.decision_started',
    {
      reviewId: reviewIdOf(run.record.runtimeId, intake),
      request: {
        intake,
        reviewer: { id: reviewer.id, attestation: attestations.decision },
        decision,
      },
      reviewerLabel: reviewer.label,
    },
    causeOf(run),
  );

/** Writes a decision down. */
export const recordReview = (run: StudyRun, reviewed: ReviewedIntake): StepResult<ApprovalReference> =>
  reviewReceipt.write('publish.review.decision_completed', run, reviewReceipt.of(run, reviewed));

// No person approves anything by it: it lets the evaluation compute captions, and is never written down.
const nobody: Reviewer = { id: 'reviewer:none', label: 'An evaluation has no reviewer' };

/** The approval that a queued study would have, for what is derived from a study before a person approved it. */
export function approvalBefore(run: StudyRun, { admission }: VerifiedConclusion): ApprovalReference {
  const receipt = reviewReceipt.of(run, {
    intake: admission.intake,
    reviewer: nobody,
    decision: {
      outcome: 'approve_for_caption_production',
      reasonCodes: ['reviewer_attested_caption_production_may_proceed'],
      note: null,
    },
  });
  return reviewReceipt.referenceOf(run.record.runtimeId, receipt);
}

/** Journaled when a decision could not be written down: it was none. */
export const reviewFailed = (run: StudyRun, intake: IntakeReference, reason: Failure) =>
  draftEvent(
    'publish.review.decision_failed',
    { reviewId: reviewIdOf(run.record.runtimeId, intake), reason },
    causeOf(run),
  );

/** One revocation for each approval of a run. */
export const revocationIdOf = (runId: string, approval: ApprovalReference): string =>
  `publish-review-revocation:${hashOf({ runId, approval })}`;

/** The withdrawn approval, with the person and the reason. */
export interface RevokedApproval {
  readonly approval: ApprovalReference;
  readonly reviewer: Reviewer;
  readonly revocation: RevocationDecision;
}

/** The receipt of a revocation; it follows from the request alone. */
export const revocationReceipt = new RunReceipt<PublishReviewRevocationReceipt, 'revocationId', RevokedApproval>({
  link: 'revocation',
  schema: publishReviewRevocationReceipt,
  maximumBytes: maximumReviewReceiptBytes,
  name: 'studio.publish-review-revocation.receipt.v1',
  idPrefix: 'publish-review-revocation-receipt',
  kind: 'publish-review-revocation-receipt',
  about: 'revocationId',
  origin: ({ revocationId }) => ({ kind: 'publish_review_revocation', revocationId }),
  sources: ({ input }) => [input.approval.artifactId],
  producer: 'host',
  derive: ({ record }, { approval, reviewer, revocation }) => ({
    revocationId: revocationIdOf(record.runtimeId, approval),
    input: {
      approval,
      verification: {
        integrity: 'stored_review_and_verified_queued_intake',
        producer: 'host_publish_review_v1',
        outcome: 'approve_for_caption_production',
      },
    },
    reviewer: {
      ...reviewer,
      attestation: { kind: 'local_operator_attestation_v1', statement: attestations.revocation },
    },
    producer: { id: 'studio.host-publish-review', version: '1', policy: 'immutable_revocation_of_verified_approval' },
    revocation,
    result: { state: 'approval_revoked' },
  }),
});

/** Journaled before a revocation is written down. */
export const revocationStarted = (run: StudyRun, { approval, reviewer, revocation }: RevokedApproval) =>
  draftEvent(
    'publish.review.revocation_started',
    {
      revocationId: revocationIdOf(run.record.runtimeId, approval),
      request: { approval, reviewer: { id: reviewer.id, attestation: attestations.revocation }, revocation },
      reviewerLabel: reviewer.label,
    },
    causeOf(run),
  );

/** Writes a revocation down. */
export const recordRevocation = (run: StudyRun, revoked: RevokedApproval) =>
  revocationReceipt.write('publish.review.revocation_completed', run, revocationReceipt.of(run, revoked));

/** Journaled when a revocation could not be written down: the approval stays valid. */
export const revocationFailed = (run: StudyRun, approval: ApprovalReference, reason: Failure) =>
  draftEvent(
    'publish.review.revocation_failed',
    { revocationId: revocationIdOf(run.record.runtimeId, approval), reason },
    causeOf(run),
  );

/** A person's decision on the intake of a run, and its withdrawal. */
interface VerifiedReview {
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

const noReviews: VerifiedReviews = { review: null, deciding: null, revoking: null, authority: null };

/** A decision is about to be written down: on the queued intake of this run, if there is none yet. */
function foldReviewStarted(
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

async function foldReviewCompleted(
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

function foldReviewFailed({ journal, run }: FoldContext, reviews: VerifiedReviews): VerifiedReviews {
  const { reason } = journal.expect('publish.review.decision_failed').data;
  if (reviews.deciding === null) throw journal.fault('type');
  journal.take([reviewFailed(run, reviews.deciding.intake, reason)]);
  return { ...reviews, deciding: null };
}

/** The valid approval is about to be withdrawn. */
function foldRevocationStarted({ journal, run }: FoldContext, reviews: VerifiedReviews): VerifiedReviews {
  const { request, reviewerLabel } = journal.expect('publish.review.revocation_started').data;
  const { authority: approval } = reviews;
  if (approval === null) throw journal.fault('type');
  const { reviewer, revocation } = request;
  const revoking = { approval, reviewer: { id: reviewer.id, label: reviewerLabel }, revocation };
  journal.take([revocationStarted(run, revoking)]);
  return { ...reviews, revoking, authority: null };
}

async function foldRevocationCompleted(
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

function foldRevocationFailed({ journal, run }: FoldContext, reviews: VerifiedReviews): VerifiedReviews {
  const { reason } = journal.expect('publish.review.revocation_failed').data;
  const { revoking } = reviews;
  if (revoking === null) throw journal.fault('type');
  journal.take([revocationFailed(run, revoking.approval, reason)]);
  return { ...reviews, revoking: null, authority: revoking.approval };
}

/** The part of an ended study that a review reads. */
interface Reviewable {
  readonly conclusion: VerifiedConclusion;
  readonly tail: VerifiedReviews & {
    readonly captions: Pick<VerifiedCaptions, 'open'>;
    readonly explanations: VerifiedExplanations;
  };
}

/** A person's decision on the queued study, and its withdrawal. */
export const reviewStage: LaterStage<Reviewable, VerifiedReviews> = {
  name: 'review',
  nothing: noReviews,
  records: { review: publishReviewDecisionReceipt, revocation: publishReviewRevocationReceipt },
  folds: {
    'publish.review.decision_started': (context, { tail, conclusion }) => foldReviewStarted(context, tail, conclusion),
    'publish.review.decision_completed': (context, { tail }) => foldReviewCompleted(context, tail),
    'publish.review.decision_failed': (context, { tail }) => foldReviewFailed(context, tail),
    'publish.review.revocation_started': (context, { tail }) => {
      // An approval is withdrawn when nothing is being made under it any more.
      if (tail.captions.open !== null || isExplaining(tail.explanations)) throw context.journal.fault('type');
      return foldRevocationStarted(context, tail);
    },
    'publish.review.revocation_completed': (context, { tail }) => foldRevocationCompleted(context, tail),
    'publish.review.revocation_failed': (context, { tail }) => foldRevocationFailed(context, tail),
  },
};
