import { z } from 'zod';
import { eventType } from '../base/event-envelope.ts';
import { failure } from '../base/failure.ts';
import { contentId, identity } from '../base/grammar.ts';
import { artifactId } from '../base/operation.ts';
import { readinessReference } from '../study/study-readiness.ts';
import { recordedDecisionRequest, recordedRevocationRequest, reviewerLabel } from './publish-review.ts';
import { publishReviewIntakeReceipt } from './publish-review-intake.ts';
import { publishReviewDecisionReceipt, publishReviewRevocationReceipt } from './publish-review-receipts.ts';

/** What the journal says of the way from a finished study to a person's review. */
export const publishReviewEvents = [
  eventType(
    'publish.review.intake_started',
    'publish_review_intake_host',
    z.strictObject({ intakeId: identity, readiness: readinessReference }),
  ),
  eventType(
    'publish.review.intake_completed',
    'publish_review_intake_host',
    z.strictObject({
      intakeId: identity,
      outputArtifactId: artifactId,
      receiptContentId: contentId,
      receipt: publishReviewIntakeReceipt,
    }),
  ),
  eventType(
    'publish.review.intake_failed',
    'publish_review_intake_host',
    z.strictObject({ intakeId: identity, reason: failure }),
  ),
  eventType(
    'publish.review.decision_started',
    'publish_review_host',
    z.strictObject({ reviewId: identity, request: recordedDecisionRequest, reviewerLabel }),
  ),
  eventType(
    'publish.review.decision_completed',
    'publish_review_host',
    z.strictObject({
      reviewId: identity,
      outputArtifactId: artifactId,
      receiptContentId: contentId,
      receipt: publishReviewDecisionReceipt,
    }),
  ),
  eventType(
    'publish.review.decision_failed',
    'publish_review_host',
    z.strictObject({ reviewId: identity, reason: failure }),
  ),
  eventType(
    'publish.review.revocation_started',
    'publish_review_host',
    z.strictObject({ revocationId: identity, request: recordedRevocationRequest, reviewerLabel }),
  ),
  eventType(
    'publish.review.revocation_completed',
    'publish_review_host',
    z.strictObject({
      revocationId: identity,
      outputArtifactId: artifactId,
      receiptContentId: contentId,
      receipt: publishReviewRevocationReceipt,
    }),
  ),
  eventType(
    'publish.review.revocation_failed',
    'publish_review_host',
    z.strictObject({ revocationId: identity, reason: failure }),
  ),
] as const;
