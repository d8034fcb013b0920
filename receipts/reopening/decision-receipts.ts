import type { DecisionReceipts, DecisionRow } from '../../contract/study/decision-receipts.ts';
import { decisionReceipt } from '../evidence/evidence-decision.ts';
import type { VerifiedDecision } from '../evidence/fold-judgement.ts';
import type { VerifiedRuntime } from './reopen-runtime.ts';
import { runtimeListOf } from './runtime-list.ts';

function rowOf(runId: string, { body }: VerifiedDecision): DecisionRow {
  const { taskId, agentId } = body.authorization;
  return {
    ...decisionReceipt.referenceOf(runId, body),
    taskId,
    agentId,
    integrity: 'stored_decision_and_audited_inputs_verified',
    producer: 'deterministic_audit_state_gate_v1',
    inputs: body.inputs,
    ...body.decision,
    ...body.result,
  };
}

/** The answer to a request for the decisions of a runtime: at most one, reopened with all that it rests on. */
export function decisionReceiptsOf(runtime: VerifiedRuntime): DecisionReceipts {
  const decision = runtime.execution?.study.findings.decision ?? null;
  return {
    schema: 'studio.local-runtime-decision-receipts.v1',
    ...runtimeListOf(runtime),
    decisions: decision === null ? [] : [rowOf(runtime.accepted.record.runtimeId, decision)],
  };
}
