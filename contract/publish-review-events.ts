import { z } from 'zod';
import { eventType } from './event-envelope.ts';
import { failure } from './failure.ts';
import { contentId, identity } from './grammar.ts';
import { artifactId } from './operation.ts';
import { publishReviewIntakeReceipt } from './publish-review-intake.ts';
import { readinessReference } from './study-readiness.ts';

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
] as const;
