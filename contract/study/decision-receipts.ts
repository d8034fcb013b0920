import { z } from 'zod';
import { identity, positive } from '../base/grammar.ts';
import { assessmentReference, decision, decisionLimits, decisionReference } from '../evidence/evidence-decision.ts';
import { runtimeListFields } from './runtime-list.ts';

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
