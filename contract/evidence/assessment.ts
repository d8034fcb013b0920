import { z } from 'zod';
import { artifactId, operationId } from '../base/artifact.ts';
import { contentId, count, identity, languageTag, positive, range } from '../base/grammar.ts';
import { runtimeListFields } from '../study/status.ts';
import { longestReading, readableKind } from './evidence-read.ts';

/** The limits of one assessment. A citation is one read with the facts of it that a claim rests on. */
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
    message: 'each state may occur once, the gravest first',
  })
  .refine((list) => list.length === 1 || !list.includes('supported'), { message: 'supported excludes other states' });

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
 * `range` is the hull of the cited facts; a language is null if a cited fact is withheld or unknown. The lines of a transcript,
 * and texts on the screen, are claimed as recognized, not as spoken or shown.
 */
export const claim = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('speech_activity'), value: z.enum(['speech', 'non_speech']), ...claimBody }),
  z.strictObject({ kind: z.literal('language_identity'), value: languageTag.nullable(), ...claimBody }),
  z.strictObject({ kind: z.literal('transcript'), value: z.literal('recognised'), ...claimBody }),
  z.strictObject({ kind: z.literal('screen_text'), value: z.literal('recognised'), ...claimBody }),
]);

/** The claims from up to four reads. `receiptId` is derived from everything but it and `schema`. */
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

/** The limits of a decision in any study; the number of its assessments depends on the range of its study. */
export const decisionLimits = { maxDecisions: 1, maxAuditedAssessments: longestReading.maxAuditedAssessments } as const;

/** Largest stored decision receipt, in bytes. */
export const maximumDecisionReceiptBytes = 128 * 1024;

/** In the order in which a decision lists them; the last excludes the others. */
export const decisionReasons = [
  'audited_claim_withheld',
  'audited_claim_unknown',
  'audited_claim_truncated',
  'all_audited_claims_supported',
] as const;

export const decisionReason = z.enum(decisionReasons);
export type DecisionReason = z.infer<typeof decisionReason>;

export const assessmentReference = z.strictObject({
  operationId,
  artifactId,
  receiptId: z.string().regex(/^evidence-assessment:[a-f0-9]{64}$/),
  receiptContentId: contentId,
});

export const decisionReference = z.strictObject({
  operationId,
  artifactId,
  receiptId: z.string().regex(/^evidence-decision:[a-f0-9]{64}$/),
  receiptContentId: contentId,
});

export const decision = z.strictObject({
  outcome: z.enum(['withheld', 'proceed_to_publish_review']),
  reasonCodes: z.array(decisionReason).min(1),
});

/**
 * The decision whether the claims of a study may be reviewed. `receiptId` is derived from everything but it and `schema`.
 */
export const evidenceDecisionReceipt = z.strictObject({
  schema: z.literal('studio.evidence-decision.receipt.v1'),
  receiptId: z.string().regex(/^evidence-decision:[a-f0-9]{64}$/),
  operationId,
  capability: z.literal('analysis.evidence.decide'),
  authorization: z.strictObject({
    grantId: identity,
    taskId: identity,
    agentId: identity,
    maxDecisions: z.literal(decisionLimits.maxDecisions),
    maxAuditedAssessments: positive.max(decisionLimits.maxAuditedAssessments),
  }),
  inputs: z.array(assessmentReference).min(1).max(decisionLimits.maxAuditedAssessments),
  producer: z.strictObject({
    id: z.literal('studio.deterministic-audited-assessment-decision'),
    version: z.literal('1'),
    policy: z.literal('withhold_on_preserved_gap_state'),
  }),
  decision,
  result: z.strictObject({
    auditedAssessmentCount: positive.max(decisionLimits.maxAuditedAssessments),
    auditedClaimCount: positive,
  }),
});

export type AssessmentReference = z.infer<typeof assessmentReference>;
export type DecisionReference = z.infer<typeof decisionReference>;
export type Decision = z.infer<typeof decision>;
export type EvidenceDecisionReceipt = z.infer<typeof evidenceDecisionReceipt>;

/** The facts and reads that a claim rests on, and the evidence of the reads. */
const citations = z.array(citation.extend({ readOperationId: operationId, evidenceArtifactId: artifactId })).min(1);

const [speechClaim, languageClaim, transcriptClaim, screenTextClaim] = claim.options;

export const auditedClaim = z.discriminatedUnion('kind', [
  speechClaim.extend({ citations }),
  languageClaim.extend({ citations }),
  transcriptClaim.extend({ citations }),
  screenTextClaim.extend({ citations }),
]);

/** One assessment whose receipt, reads and evidence were reopened and derived again. */
export const assessmentAudit = assessmentReference.extend({
  taskId: identity,
  agentId: identity,
  integrity: z.literal('stored_receipt_and_citations_verified'),
  claims: z
    .array(auditedClaim)
    .min(1)
    .refine((claims) => claims.every(({ claimIndex }, position) => claimIndex === position), 'numbered by position'),
});

/** The answer to `GET …/assessment-audits`: empty until a runtime has assessed something, and where it had no claims. */
export const assessmentAudits = z.strictObject({
  schema: z.literal('studio.local-runtime-assessment-audits.v1'),
  ...runtimeListFields,
  audits: z
    .array(assessmentAudit)
    .refine(
      (audits) => new Set(audits.map((audit) => audit.operationId)).size === audits.length,
      'each operation once',
    ),
});

export type AssessmentAudit = z.infer<typeof assessmentAudit>;
export type AssessmentAudits = z.infer<typeof assessmentAudits>;

/** One decision whose receipt was reopened and whose policy was run again over its audited assessments. */
export const decisionRow = decisionReference
  .extend({
    taskId: identity,
    agentId: identity,
    integrity: z.literal('stored_decision_and_audited_inputs_verified'),
    producer: z.literal('deterministic_audit_state_gate_v1'),
    inputs: z.array(assessmentReference).min(1).max(decisionLimits.maxAuditedAssessments),
    ...decision.shape,
    auditedAssessmentCount: positive.max(decisionLimits.maxAuditedAssessments),
    auditedClaimCount: positive,
  })
  .refine(({ inputs, auditedAssessmentCount }) => inputs.length === auditedAssessmentCount, {
    message: 'counts the inputs',
    path: ['auditedAssessmentCount'],
  });

/** The answer to `GET …/decision-receipts`: empty while a runtime has not decided, and where it had no claims. */
export const decisionReceipts = z.strictObject({
  schema: z.literal('studio.local-runtime-decision-receipts.v1'),
  ...runtimeListFields,
  decisions: z.array(decisionRow),
});

export type DecisionRow = z.infer<typeof decisionRow>;
export type DecisionReceipts = z.infer<typeof decisionReceipts>;
