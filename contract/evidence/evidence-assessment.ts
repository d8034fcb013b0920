import { z } from 'zod';
import { contentId, count, identity, languageTag, positive, range } from '../base/grammar.ts';
import { artifactId, operationId } from '../base/operation.ts';
import { readableKind } from './evidence-read.ts';

/** What one assessment may take in and say. A citation is one read with the facts of it that a claim rests on. */
export const assessmentLimits = {
  maxAssessments: 1,
  maxReadReceipts: 4,
  maxClaims: 8,
  maxCitations: 32,
  maxTokens: 4096,
} as const;

/** Largest stored assessment receipt, in bytes. */
export const maximumAssessmentReceiptBytes = 256 * 1024;

/** The gravest first: the order in which a claim lists its states. */
export const claimStates = ['withheld', 'unknown', 'truncated', 'supported'] as const;

export const claimState = z.enum(claimStates);
export type ClaimState = z.infer<typeof claimState>;

const rankOf = (state: ClaimState): number => claimStates.indexOf(state);

const states = z
  .array(claimState)
  .min(1)
  .refine((list) => list.every((state, at) => at === 0 || rankOf(list[at - 1] ?? state) < rankOf(state)), {
    message: 'states stand once each, the gravest first',
  })
  .refine((list) => list.length === 1 || !list.includes('supported'), { message: 'supported stands alone' });

export const readReceiptId = z.string().regex(/^evidence-read:[a-f0-9]{64}$/);

export const citation = z.strictObject({
  receiptId: readReceiptId,
  receiptContentId: contentId,
  factIndexes: z
    .array(count)
    .min(1)
    .refine((indexes) => new Set(indexes).size === indexes.length, { message: 'a fact is cited once' }),
});

const claimBody = {
  claimIndex: count,
  range,
  states,
  citations: z.array(citation).min(1).max(assessmentLimits.maxReadReceipts),
};

/**
 * `range` is the hull of the cited facts; a language is null where a cited fact is withheld or unknown. The
 * lines of a transcript, and texts on the screen, are claimed as recognised, not as said or shown.
 */
export const claim = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('speech_activity'), value: z.enum(['speech', 'non_speech']), ...claimBody }),
  z.strictObject({ kind: z.literal('language_identity'), value: languageTag.nullable(), ...claimBody }),
  z.strictObject({ kind: z.literal('transcript'), value: z.literal('recognised'), ...claimBody }),
  z.strictObject({ kind: z.literal('screen_text'), value: z.literal('recognised'), ...claimBody }),
]);

/** What up to four reads say, as claims. `receiptId` is derived from everything but it and `schema`. */
export const evidenceAssessmentReceipt = z.strictObject({
  schema: z.literal('studio.evidence-assessment.receipt.v1'),
  receiptId: z.string().regex(/^evidence-assessment:[a-f0-9]{64}$/),
  operationId,
  capability: z.literal('analysis.evidence.assess'),
  authorization: z.strictObject({
    grantId: identity,
    taskId: identity,
    agentId: identity,
    maxAssessments: z.literal(assessmentLimits.maxAssessments),
    maxReadReceipts: z.literal(assessmentLimits.maxReadReceipts),
    maxClaims: z.literal(assessmentLimits.maxClaims),
    maxCitations: z.literal(assessmentLimits.maxCitations),
    maxTokens: z.literal(assessmentLimits.maxTokens),
  }),
  inputs: z
    .array(
      z.strictObject({
        readOperationId: operationId,
        receiptId: readReceiptId,
        receiptContentId: contentId,
        evidenceArtifactId: artifactId,
        evidenceKind: readableKind,
        returnedItems: count,
        truncated: z.boolean(),
      }),
    )
    .min(1)
    .max(assessmentLimits.maxReadReceipts),
  producer: z.strictObject({ id: z.literal('studio.bounded-evidence-assessment'), version: z.literal('1') }),
  claims: z.array(claim).min(1).max(assessmentLimits.maxClaims),
  result: z.strictObject({
    readReceiptCount: positive.max(assessmentLimits.maxReadReceipts),
    claimCount: positive.max(assessmentLimits.maxClaims),
    citationCount: positive.max(assessmentLimits.maxCitations),
    tokenCount: positive.max(assessmentLimits.maxTokens),
  }),
});

export type Claim = z.infer<typeof claim>;
export type EvidenceAssessmentReceipt = z.infer<typeof evidenceAssessmentReceipt>;
