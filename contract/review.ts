import { z } from 'zod';
import { artifactId } from './base/artifact.ts';
import { failure } from './base/errors.ts';
import { eventType } from './base/event-envelope.ts';
import { contentId, count, givenLine, identity, wellFormedText } from './base/grammar.ts';
import { longestNote } from './base/longest-note.ts';
import { commandId, runtimeId } from './study/start.ts';
import { readinessReference } from './study/study-record.ts';

/** A line as records hold it: earlier versions took any but control characters of C0 and DEL. */
const recordedLine = (maximum: number) =>
  wellFormedText
    .min(1)
    .max(maximum)
    .refine((text) => text === text.trim(), 'must be trimmed')
    .refine((text) => [...text].every((character) => character >= ' ' && character !== '\u007f'), 'must be one line');

const labelUnits = 80;

export const reviewerLabel = recordedLine(labelUnits);
export const reviewNote = recordedLine(longestNote).nullable();

/** The label of a reviewer, as the start options of a host give it. */
export const givenReviewerLabel = givenLine(labelUnits);
const givenNote = givenLine(longestNote).nullable();

/** The text that a reviewer attests, word for word. */
export const attestations = {
  decision: 'I attest that I am the named reviewer and made this review decision.',
  revocation: 'I attest that I am the named reviewer and made this revocation decision.',
} as const;

/** A list of codes, unique and in the order in which `codes` names them. */
const canonical = <const Codes extends readonly [string, ...string[]]>(codes: Codes) =>
  z
    .array(z.enum(codes))
    .min(1)
    .refine(
      (given) => given.every((code, at) => at === 0 || codes.indexOf(code) > codes.indexOf(given[at - 1] ?? '')),
      {
        message: 'must be unique and in canonical order',
      },
    );

/** The same as clients send it: in any order, since no client can know that of `codes`. Records have it in that order. */
const inAnyOrder = <const Codes extends readonly [string, ...string[]]>(codes: Codes) =>
  z
    .array(z.enum(codes))
    .min(1)
    .refine((given) => new Set(given).size === given.length, { message: 'must be unique' })
    .overwrite((given) => [...given].sort((one, other) => codes.indexOf(one) - codes.indexOf(other)));

export const approvalReasons = ['reviewer_attested_caption_production_may_proceed'] as const;
export const rejectionReasons = [
  'evidence_requires_additional_review',
  'source_scope_not_approved',
  'rights_or_policy_concern',
  'other_review_concern',
] as const;
export const revocationReasons = [
  'approval_entered_in_error',
  'new_review_required',
  'source_scope_changed',
  'rights_or_policy_concern',
] as const;

/** A list of reasons from these codes. */
type ReasonList = <const Codes extends readonly [string, ...string[]]>(
  codes: Codes,
) => z.ZodType<Codes[number][], Codes[number][]>;

const decisionWith = (note: typeof reviewNote, reasons: ReasonList = canonical) =>
  z.discriminatedUnion('outcome', [
    z.strictObject({
      outcome: z.literal('approve_for_caption_production'),
      reasonCodes: reasons(approvalReasons),
      note,
    }),
    z.strictObject({ outcome: z.literal('reject_with_reasons'), reasonCodes: reasons(rejectionReasons), note }),
  ]);

const revocationWith = (note: typeof reviewNote, reasons: ReasonList = canonical) =>
  z.strictObject({ reasonCodes: reasons(revocationReasons), note });

/** The decision of a reviewer, as records hold it; the outcome fixes the possible reasons. */
export const reviewDecision = decisionWith(reviewNote);
export const revocationDecision = revocationWith(reviewNote);

/** An intake and an approval as requests and receipts name them. */
export const intakeReference = z.strictObject({
  intakeId: z.string().regex(/^publish-review-intake:[a-f0-9]{64}$/),
  artifactId,
  receiptId: z.string().regex(/^publish-review-intake-receipt:[a-f0-9]{64}$/),
  receiptContentId: contentId,
});

export const approvalReference = z.strictObject({
  reviewId: z.string().regex(/^publish-review:[a-f0-9]{64}$/),
  artifactId,
  receiptId: z.string().regex(/^publish-review-decision-receipt:[a-f0-9]{64}$/),
  receiptContentId: contentId,
});

/** A request for a decision, as the journal holds it. */
export const recordedDecisionRequest = z.strictObject({
  intake: intakeReference,
  reviewer: z.strictObject({ id: identity, attestation: z.literal(attestations.decision) }),
  decision: reviewDecision,
});

/** A request for a revocation, as the journal holds it. */
export const recordedRevocationRequest = z.strictObject({
  approval: approvalReference,
  reviewer: z.strictObject({ id: identity, attestation: z.literal(attestations.revocation) }),
  revocation: revocationDecision,
});

/**
 * The body of a decision. `plan` is the digest of the caption plan that the reviewer read before the approval: it is recorded beside the
 * decision, and captions follow it.
 */
export const reviewDecisionRequest = recordedDecisionRequest
  .extend({ decision: decisionWith(givenNote, inAnyOrder), plan: contentId.optional() })
  .refine(({ decision, plan }) => plan === undefined || decision.outcome === 'approve_for_caption_production', {
    message: 'only an approval has a plan',
    path: ['plan'],
  });

/** The body of a revocation. */
export const reviewRevocationRequest = recordedRevocationRequest.extend({
  revocation: revocationWith(givenNote, inAnyOrder),
});

export type ReviewDecision = z.infer<typeof reviewDecision>;
export type RevocationDecision = z.infer<typeof revocationDecision>;
export type IntakeReference = z.infer<typeof intakeReference>;
export type ApprovalReference = z.infer<typeof approvalReference>;
export type ReviewDecisionRequest = z.infer<typeof reviewDecisionRequest>;
export type ReviewRevocationRequest = z.infer<typeof reviewRevocationRequest>;

/** The one reviewer that a host is configured with. */
export interface Reviewer {
  readonly id: string;
  readonly label: string;
}

/** The reason why an intake is rejected, in the order of a list of reasons; only the first two ever occur on this host. */
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
      message: 'reasons must be present exactly with a rejection',
      path: ['reasonCodes'],
    }),
});

export type PublishReviewIntakeReceipt = z.infer<typeof publishReviewIntakeReceipt>;

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

/** The journal events on the way from a finished study to a person's review. */
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
