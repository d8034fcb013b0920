import { z } from 'zod';
import { contentId, identity } from '../base/grammar.ts';
import { artifactId } from '../base/operation.ts';
import { givenLine, wellFormedText } from '../base/text.ts';
import { longestNote } from './longest-note.ts';

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

/** What a reviewer is called, as the start options of a host give it. */
export const givenReviewerLabel = givenLine(labelUnits);
const givenNote = givenLine(longestNote).nullable();

/** What a reviewer signs, word for word. */
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

const decisionWith = (note: typeof reviewNote) =>
  z.discriminatedUnion('outcome', [
    z.strictObject({
      outcome: z.literal('approve_for_caption_production'),
      reasonCodes: canonical(approvalReasons),
      note,
    }),
    z.strictObject({ outcome: z.literal('reject_with_reasons'), reasonCodes: canonical(rejectionReasons), note }),
  ]);

const revocationWith = (note: typeof reviewNote) => z.strictObject({ reasonCodes: canonical(revocationReasons), note });

/** What a reviewer decided, as records hold it; the outcome fixes which reasons may stand. */
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

/** The body of a decision. */
export const reviewDecisionRequest = recordedDecisionRequest.extend({ decision: decisionWith(givenNote) });

/** The body of a revocation. */
export const reviewRevocationRequest = recordedRevocationRequest.extend({ revocation: revocationWith(givenNote) });

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
