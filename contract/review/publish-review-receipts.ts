import { z } from 'zod';
import { identity } from '../base/grammar.ts';
import {
  approvalReference,
  attestations,
  intakeReference,
  reviewDecision,
  reviewerLabel,
  revocationDecision,
} from './publish-review.ts';

const signed = <const Statement extends string>(statement: Statement) =>
  z.strictObject({
    id: identity,
    label: reviewerLabel,
    attestation: z.strictObject({
      kind: z.literal('local_operator_attestation_v1'),
      statement: z.literal(statement),
    }),
  });

/** A person's decision on a queued intake. `receiptId` is derived from everything but it and `schema`. */
export const publishReviewDecisionReceipt = z.strictObject({
  schema: z.literal('studio.publish-review-decision.receipt.v1'),
  receiptId: approvalReference.shape.receiptId,
  reviewId: approvalReference.shape.reviewId,
  input: z.strictObject({
    intake: intakeReference,
    verification: z.strictObject({
      integrity: z.literal('stored_intake_and_verified_study_readiness'),
      producer: z.literal('host_publish_review_intake_v1'),
      outcome: z.literal('queued'),
    }),
  }),
  reviewer: signed(attestations.decision),
  producer: z.strictObject({
    id: z.literal('studio.host-publish-review'),
    version: z.literal('1'),
    policy: z.literal('attested_review_of_verified_queued_intake'),
  }),
  decision: reviewDecision,
});

/** The withdrawal of an approval. `receiptId` is derived from everything but it and `schema`. */
export const publishReviewRevocationReceipt = z.strictObject({
  schema: z.literal('studio.publish-review-revocation.receipt.v1'),
  receiptId: z.string().regex(/^publish-review-revocation-receipt:[a-f0-9]{64}$/),
  revocationId: z.string().regex(/^publish-review-revocation:[a-f0-9]{64}$/),
  input: z.strictObject({
    approval: approvalReference,
    verification: z.strictObject({
      integrity: z.literal('stored_review_and_verified_queued_intake'),
      producer: z.literal('host_publish_review_v1'),
      outcome: z.literal('approve_for_caption_production'),
    }),
  }),
  reviewer: signed(attestations.revocation),
  producer: z.strictObject({
    id: z.literal('studio.host-publish-review'),
    version: z.literal('1'),
    policy: z.literal('immutable_revocation_of_verified_approval'),
  }),
  revocation: revocationDecision,
  result: z.strictObject({ state: z.literal('approval_revoked') }),
});

export type PublishReviewDecisionReceipt = z.infer<typeof publishReviewDecisionReceipt>;
export type PublishReviewRevocationReceipt = z.infer<typeof publishReviewRevocationReceipt>;
