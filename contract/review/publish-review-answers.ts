import { z } from 'zod';
import { contentId, count, identity } from '../base/grammar.ts';
import { artifactId } from '../base/operation.ts';
import { commandId, runtimeId } from '../study/runtime-start.ts';
import { readinessReference } from '../study/study-readiness.ts';
import {
  approvalReasons,
  approvalReference,
  attestations,
  intakeReference,
  rejectionReasons,
  reviewerLabel,
  reviewNote,
  revocationReasons,
} from './publish-review.ts';
import { intakeReason } from './publish-review-intake.ts';

const list = { commandId, runtimeId, journalHead: count };

export const publishReviewIntake = intakeReference.extend({
  integrity: z.literal('stored_intake_and_verified_study_readiness'),
  producer: z.literal('host_publish_review_intake_v1'),
  readiness: readinessReference,
  outcome: z.enum(['queued', 'rejected']),
  reasonCodes: z.array(intakeReason),
});

/** The answer to `GET …/publish-review-intakes`. */
export const publishReviewIntakes = z.strictObject({
  schema: z.literal('studio.local-runtime-publish-review-intakes.v1'),
  ...list,
  intakes: z.array(publishReviewIntake),
});

const signer = <const Statement extends string>(statement: Statement) =>
  z.strictObject({ id: identity, label: reviewerLabel, attestation: z.literal(statement) });

export const publishReviewRevocation = z.strictObject({
  revocationId: z.string().regex(/^publish-review-revocation:[a-f0-9]{64}$/),
  artifactId,
  receiptId: z.string().regex(/^publish-review-revocation-receipt:[a-f0-9]{64}$/),
  receiptContentId: contentId,
  integrity: z.literal('stored_revocation_and_verified_approval'),
  producer: z.literal('host_publish_review_v1'),
  reviewer: signer(attestations.revocation),
  reasonCodes: z.array(z.enum(revocationReasons)).min(1),
  note: reviewNote,
});

export const publishReview = approvalReference.extend({
  integrity: z.literal('stored_review_and_verified_queued_intake'),
  producer: z.literal('host_publish_review_v1'),
  intake: intakeReference,
  readiness: readinessReference,
  reviewer: signer(attestations.decision),
  outcome: z.enum(['approve_for_caption_production', 'reject_with_reasons']),
  reasonCodes: z.array(z.enum([...approvalReasons, ...rejectionReasons])).min(1),
  note: reviewNote,
  state: z.enum(['approved_for_caption_production', 'rejected', 'approval_revoked']),
  revocation: publishReviewRevocation.nullable(),
});

/** The answer to reads of reviews, to a decision and to a revocation. */
export const publishReviewDecisions = z.strictObject({
  schema: z.literal('studio.local-runtime-publish-review-decisions.v1'),
  ...list,
  reviewer: z.strictObject({
    id: identity,
    label: reviewerLabel,
    decisionAttestation: z.literal(attestations.decision),
    revocationAttestation: z.literal(attestations.revocation),
  }),
  reviews: z.array(publishReview),
});

export type PublishReviewIntake = z.infer<typeof publishReviewIntake>;
export type PublishReviewIntakes = z.infer<typeof publishReviewIntakes>;
export type PublishReview = z.infer<typeof publishReview>;
export type PublishReviewRevocation = z.infer<typeof publishReviewRevocation>;
export type PublishReviewDecisions = z.infer<typeof publishReviewDecisions>;
