import { z } from 'zod';
import { readinessReference } from '../study/study-readiness.ts';

/** Why an intake is rejected, in the order in which it is said; only the first two are ever found by this host. */
export const intakeReason = z.enum([
  'hidden_gap',
  'non_supported_root_coverage',
  'stored_content_integrity_failed',
  'unresolved_conflict',
  'unsupported_synthesized_claim',
]);

/** A study's entry into the review queue, or why it has none. `receiptId` is derived from everything but it and `schema`. */
export const publishReviewIntakeReceipt = z.strictObject({
  schema: z.literal('studio.publish-review-intake.receipt.v1'),
  receiptId: z.string().regex(/^publish-review-intake-receipt:[a-f0-9]{64}$/),
  intakeId: z.string().regex(/^publish-review-intake:[a-f0-9]{64}$/),
  input: z.strictObject({
    readiness: readinessReference,
    verification: z.strictObject({
      integrity: z.literal('stored_study_readiness_and_recursive_inputs_verified'),
      producer: z.literal('deterministic_study_readiness_gate_v1'),
    }),
  }),
  producer: z.strictObject({
    id: z.literal('studio.host-publish-review-intake'),
    version: z.literal('1'),
    policy: z.literal('queue_exact_verified_study_readiness_only'),
  }),
  result: z
    .strictObject({ outcome: z.enum(['queued', 'rejected']), reasonCodes: z.array(intakeReason) })
    .refine(({ outcome, reasonCodes }) => (outcome === 'queued') === (reasonCodes.length === 0), {
      message: 'reasons stand exactly with a rejection',
      path: ['reasonCodes'],
    }),
});

export type PublishReviewIntakeReceipt = z.infer<typeof publishReviewIntakeReceipt>;
