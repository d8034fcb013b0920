import type { Failure } from '../../contract/base/failure.ts';
import {
  type ApprovalReference,
  attestations,
  type IntakeReference,
  type ReviewDecision,
  type Reviewer,
} from '../../contract/review/publish-review.ts';
import {
  type PublishReviewDecisionReceipt,
  publishReviewDecisionReceipt,
} from '../../contract/review/publish-review-receipts.ts';
import { maximumReviewReceiptBytes } from '../../contract/study/study-readiness.ts';
import { hashOf } from '../core/canonical-json.ts';
import { draftEvent } from '../core/event-draft.ts';
import { RunReceipt } from '../core/record.ts';
import { causeOf, type StudyRun } from '../core/study-run.ts';
import type { StepResult } from '../core/study-step.ts';

/** One review for each intake of a run. */
export const reviewIdOf = (runId: string, intake: IntakeReference): string =>
  `publish-review:${hashOf({ runId, intake })}`;

/** Who decided what on which intake; everything else of the receipt follows from it. */
export interface ReviewedIntake {
  readonly intake: IntakeReference;
  readonly reviewer: Reviewer;
  readonly decision: ReviewDecision;
}

/** The receipt of a decision: nothing in it but the request, so that the same decision gives the same receipt. */
export const reviewReceipt = new RunReceipt<PublishReviewDecisionReceipt, 'reviewId', ReviewedIntake>({
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

/** Journalled before a decision is written down. */
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

/** Journalled when a decision could not be written down: it was none. */
export const reviewFailed = (run: StudyRun, intake: IntakeReference, reason: Failure) =>
  draftEvent(
    'publish.review.decision_failed',
    { reviewId: reviewIdOf(run.record.runtimeId, intake), reason },
    causeOf(run),
  );
