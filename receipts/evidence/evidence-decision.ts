import type { ClaimState, EvidenceAssessmentReceipt } from '../../contract/evidence/evidence-assessment.ts';
import {
  type Decision,
  type DecisionReference,
  decisionLimits,
  type EvidenceDecisionReceipt,
  evidenceDecisionReceipt,
  maximumDecisionReceiptBytes,
} from '../../contract/evidence/evidence-decision.ts';
import type { EventDraft } from '../../storage/ledger/ledger.ts';
import { draftEvent } from '../core/event-draft.ts';
import { EvidenceChainError } from '../core/evidence-chain-error.ts';
import { operationIdOf } from '../core/operation-key.ts';
import { RunReceipt } from '../core/record.ts';
import { causeOf, readingOf, type StudyRun } from '../core/study-run.ts';
import type { StepResult } from '../core/study-step.ts';
import { hullOf } from '../core/time-spans.ts';
import { assessmentReceipt } from './evidence-assessment.ts';

const capability = 'analysis.evidence.decide';

const gapStates = ['withheld', 'unknown', 'truncated'] as const;

/**
 * The policy `withhold_on_preserved_gap_state`: any claim that is withheld, unknown or truncated withholds the study, with
 * one reason for each such state; otherwise it proceeds.
 */
export function decisionOf(states: ReadonlySet<ClaimState>): Decision {
  const gaps = gapStates.filter((state) => states.has(state));
  return gaps.length === 0
    ? { outcome: 'proceed_to_publish_review', reasonCodes: ['all_audited_claims_supported'] }
    : { outcome: 'withheld', reasonCodes: gaps.map((state) => `audited_claim_${state}` as const) };
}

/** The decision over all claims of a run's assessments, in the order of the journal. There is none over nothing. */
export const decisionReceipt = new RunReceipt<
  EvidenceDecisionReceipt,
  'operationId',
  readonly EvidenceAssessmentReceipt[]
>({
  link: 'decision',
  schema: evidenceDecisionReceipt,
  maximumBytes: maximumDecisionReceiptBytes,
  name: 'studio.evidence-decision.receipt.v1',
  idPrefix: 'evidence-decision',
  kind: 'evidence-decision-receipt',
  about: 'operationId',
  origin: ({ operationId }) => ({ kind: 'operation_output', operationId }),
  sources: ({ inputs }) => inputs.map(({ artifactId }) => artifactId),
  producer: 'task',
  derive: (run, assessments) => {
    const { record, ids } = run;
    const { taskId, agentId, grantIds } = ids;
    if (assessments.length === 0) throw new EvidenceChainError('decision', 'inputs');
    const { maxAuditedAssessments } = readingOf(run);
    const limits = { maxDecisions: decisionLimits.maxDecisions, maxAuditedAssessments };
    const claims = assessments.flatMap((assessment) => assessment.claims);
    const inputs = assessments.map((assessment) => assessmentReceipt.referenceOf(record.runtimeId, assessment));
    return {
      operationId: operationIdOf({
        operation: capability,
        inputContentIds: inputs.map(({ receiptContentId }) => receiptContentId),
        range: hullOf(claims.map(({ range }) => range)),
        tools: [],
        parameters: limits,
      }),
      capability,
      authorization: { grantId: grantIds[capability], taskId, agentId, ...limits },
      inputs,
      producer: {
        id: 'studio.deterministic-audited-assessment-decision',
        version: '1',
        policy: 'withhold_on_preserved_gap_state',
      },
      decision: decisionOf(new Set(claims.flatMap(({ states }) => states))),
      result: { auditedAssessmentCount: inputs.length, auditedClaimCount: claims.length },
    };
  },
});

function started(run: StudyRun, { operationId, authorization, inputs }: EvidenceDecisionReceipt): EventDraft {
  const { grantId, taskId, agentId, maxAuditedAssessments } = authorization;
  const request = { operationId, taskId, agentId, executionId: run.ids.executionId, auditedAssessments: inputs };
  return draftEvent('analysis.evidence.decision_started', { request, grantId, maxAuditedAssessments }, causeOf(run));
}

/** What a decision leaves behind. */
export function recordDecision(run: StudyRun, receipt: EvidenceDecisionReceipt): StepResult<DecisionReference> {
  const { events, ...written } = decisionReceipt.write('analysis.evidence.decision_completed', run, receipt);
  return { ...written, events: [started(run, receipt), ...events] };
}

/** Decides upon the claims of all assessments of a run. Throws `EvidenceChainError` where there is nothing to decide upon. */
export const performDecision = (
  run: StudyRun,
  assessments: readonly EvidenceAssessmentReceipt[],
): StepResult<DecisionReference> => recordDecision(run, decisionReceipt.of(run, assessments));
