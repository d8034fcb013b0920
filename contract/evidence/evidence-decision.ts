import { z } from 'zod';
import { contentId, identity, positive } from '../base/grammar.ts';
import { artifactId, operationId } from '../base/operation.ts';
import { longestReading } from './reading-allowance.ts';

/** What a decision may be in any study; how many assessments it takes in depends on the range of its study. */
export const decisionLimits = { maxDecisions: 1, maxAuditedAssessments: longestReading.maxAuditedAssessments } as const;

/** Largest stored decision receipt, in bytes. */
export const maximumDecisionReceiptBytes = 128 * 1024;

/** In the order in which a decision lists them; the last stands alone. */
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

/** Whether what a study claims may be put before a reviewer. `receiptId` is derived from everything but it and `schema`. */
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
