import {
  type ApprovalReference,
  attestations,
  type IntakeReference,
  type ReviewDecision,
  type Reviewer,
} from '../../contract/review/publish-review.ts';
import type { PublishReviewDecisionReceipt } from '../../contract/review/publish-review-receipts.ts';
import { artifactIdOf } from '../core/artifact.ts';
import { contentIdOf, hashOf } from '../core/canonical-json.ts';
import { artifactRecorded, draftEvent } from '../core/event-draft.ts';
import { demandDerived } from '../core/evidence-chain-error.ts';
import { outputOf } from '../core/receipt-output.ts';
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
export function reviewReceiptOf(
  runId: string,
  { intake, reviewer, decision }: ReviewedIntake,
): PublishReviewDecisionReceipt {
  const body: Omit<PublishReviewDecisionReceipt, 'schema' | 'receiptId'> = {
    reviewId: reviewIdOf(runId, intake),
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
  };
  return {
    schema: 'studio.publish-review-decision.receipt.v1',
    receiptId: `publish-review-decision-receipt:${hashOf(body)}`,
    ...body,
  };
}

/** Derives a review again from what it says was decided. Throws `EvidenceChainError` at the first field that does not follow. */
export const auditReview = (receipt: PublishReviewDecisionReceipt, runId: string, intake: IntakeReference): void =>
  demandDerived(
    'review',
    receipt,
    reviewReceiptOf(runId, { intake, reviewer: reviewerOf(receipt), decision: receipt.decision }),
  );

const reviewerOf = ({ reviewer: { id, label } }: Pick<PublishReviewDecisionReceipt, 'reviewer'>): Reviewer => ({
  id,
  label,
});

const originOf = (reviewId: string) =>
  ({ kind: 'publish-review-decision-receipt', origin: { kind: 'publish_review', reviewId } }) as const;

/** How later records name an approval. */
export function approvalReferenceOf(runId: string, receipt: PublishReviewDecisionReceipt): ApprovalReference {
  const receiptContentId = contentIdOf(receipt);
  const { reviewId, receiptId } = receipt;
  return {
    reviewId,
    artifactId: artifactIdOf({ runId, contentId: receiptContentId, ...originOf(reviewId) }),
    receiptId,
    receiptContentId,
  };
}

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
export function recordReview(run: StudyRun, reviewed: ReviewedIntake): StepResult<ApprovalReference> {
  const { runtimeId } = run.record;
  const receipt = reviewReceiptOf(runtimeId, reviewed);
  const { object, artifact } = outputOf(receipt, {
    runId: runtimeId,
    ...originOf(receipt.reviewId),
    sourceArtifactIds: [reviewed.intake.artifactId],
    producer: null,
  });
  const completed = {
    reviewId: receipt.reviewId,
    outputArtifactId: artifact.id,
    receiptContentId: object.contentId,
    receipt,
  };
  return {
    objects: [object],
    events: [
      artifactRecorded(artifact, causeOf(run)),
      draftEvent('publish.review.decision_completed', completed, causeOf(run)),
    ],
    refs: approvalReferenceOf(runtimeId, receipt),
  };
}
