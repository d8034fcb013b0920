import type { ClaimState, EvidenceAssessmentReceipt } from '../../contract/evidence/evidence-assessment.ts';
import {
  type Decision,
  type DecisionReference,
  decisionLimits,
  type EvidenceDecisionReceipt,
} from '../../contract/evidence/evidence-decision.ts';
import type { EvidenceReadReceipt } from '../../contract/evidence/evidence-read.ts';
import type { EventDraft } from '../../storage/ledger/ledger.ts';
import { hashOf } from '../core/canonical-json.ts';
import { artifactRecorded, draftEvent } from '../core/event-draft.ts';
import { demandDerived, EvidenceChainError } from '../core/evidence-chain-error.ts';
import { operationIdOf } from '../core/operation-key.ts';
import { outputOf, receiptOriginOf, referenceOf } from '../core/receipt-output.ts';
import { causeOf, type StudyRun } from '../core/study-run.ts';
import type { StepResult } from '../core/study-step.ts';
import { auditAssessment } from './evidence-assessment.ts';
import { hullOf } from './evidence-claims.ts';

const capability = 'analysis.evidence.decide';

/** What a run read and what it made of it; the decision rests on nothing else. */
export interface AssessedEvidence {
  readonly reads: readonly EvidenceReadReceipt[];
  readonly assessments: readonly EvidenceAssessmentReceipt[];
}

/** Who decides, and by which grant. */
export type Decider = Pick<EvidenceDecisionReceipt['authorization'], 'grantId' | 'taskId' | 'agentId'>;

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

/**
 * The decision over all claims of a run's assessments, which were audited before. Follows from them, the run and the
 * decider alone. Throws `EvidenceChainError` when there is nothing to decide upon.
 */
export function decide(
  { grantId, taskId, agentId }: Decider,
  assessments: readonly EvidenceAssessmentReceipt[],
  runId: string,
): EvidenceDecisionReceipt {
  if (assessments.length === 0) throw new EvidenceChainError('decision', 'inputs');
  const claims = assessments.flatMap((assessment) => assessment.claims);
  const inputs = assessments.map((assessment) => referenceOf(runId, assessment));
  const body: Omit<EvidenceDecisionReceipt, 'schema' | 'receiptId'> = {
    operationId: operationIdOf({
      operation: capability,
      inputContentIds: inputs.map(({ receiptContentId }) => receiptContentId),
      range: hullOf(claims.map(({ range }) => range)),
      tools: [],
      parameters: decisionLimits,
    }),
    capability,
    authorization: { grantId, taskId, agentId, ...decisionLimits },
    inputs,
    producer: {
      id: 'studio.deterministic-audited-assessment-decision',
      version: '1',
      policy: 'withhold_on_preserved_gap_state',
    },
    decision: decisionOf(new Set(claims.flatMap(({ states }) => states))),
    result: { auditedAssessmentCount: inputs.length, auditedClaimCount: claims.length },
  };
  return { schema: 'studio.evidence-decision.receipt.v1', receiptId: `evidence-decision:${hashOf(body)}`, ...body };
}

/**
 * Derives a decision again from all assessments of its run in journal order, which are audited by themselves (`auditAssessment`). Throws
 * `EvidenceChainError` at the first field that does not follow.
 */
export function auditDecision(
  receipt: EvidenceDecisionReceipt,
  assessments: readonly EvidenceAssessmentReceipt[],
  runId: string,
): void {
  const { authorization } = receipt;
  for (const assessment of assessments) {
    for (const name of ['taskId', 'agentId'] as const) {
      if (assessment.authorization[name] !== authorization[name]) {
        throw new EvidenceChainError('decision', `authorization.${name}`);
      }
    }
  }
  demandDerived('decision', receipt, decide(authorization, assessments, runId));
}

function started(run: StudyRun, { operationId, authorization, inputs }: EvidenceDecisionReceipt): EventDraft {
  const { grantId, taskId, agentId, maxAuditedAssessments } = authorization;
  const request = { operationId, taskId, agentId, executionId: run.ids.executionId, auditedAssessments: inputs };
  return draftEvent('analysis.evidence.decision_started', { request, grantId, maxAuditedAssessments }, causeOf(run));
}

/**
 * Audits all assessments of a run against its reads and decides upon their claims. Throws `EvidenceChainError` when an
 * assessment does not follow from the reads, or when there is none: a study without claims has no decision.
 */
export function performDecision(
  run: StudyRun,
  { reads, assessments }: AssessedEvidence,
): StepResult<DecisionReference> {
  for (const assessment of assessments) auditAssessment(assessment, reads);
  return decisionResult(run, decide(deciderOf(run), assessments, run.record.runtimeId));
}

/** Who decides in a run. */
export const deciderOf = ({ ids }: StudyRun): Decider => ({
  grantId: ids.grantIds[capability],
  taskId: ids.taskId,
  agentId: ids.agentId,
});

/** What a decision leaves behind. */
export function decisionResult(run: StudyRun, receipt: EvidenceDecisionReceipt): StepResult<DecisionReference> {
  const { runtimeId: runId } = run.record;
  const { object, artifact } = outputOf(receipt, {
    runId,
    ...receiptOriginOf(receipt),
    sourceArtifactIds: receipt.inputs.map(({ artifactId }) => artifactId),
    producer: run.ids,
  });
  const completed = {
    operationId: receipt.operationId,
    outputArtifactId: artifact.id,
    receiptContentId: object.contentId,
    receipt,
  };
  return {
    objects: [object],
    events: [
      started(run, receipt),
      artifactRecorded(artifact, causeOf(run)),
      draftEvent('analysis.evidence.decision_completed', completed, causeOf(run)),
    ],
    refs: referenceOf(runId, receipt),
  };
}
