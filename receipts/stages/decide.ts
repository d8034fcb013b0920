import {
  type DecisionReference,
  decisionLimits,
  type EvidenceAssessmentReceipt,
  type EvidenceDecisionReceipt,
  evidenceDecisionReceipt,
  maximumDecisionReceiptBytes,
} from '../../contract/evidence/assessment.ts';
import { studyStages } from '../../contract/study/stages.ts';
import { decisionOf } from '../../rules/claims.ts';
import { judgementBy, ruleSets } from '../../rules/rule-sets.ts';
import type { EventDraft } from '../../storage/ledger/ledger.ts';
import { EvidenceChainError } from '../evidence-chain.ts';
import { claimOperationIdOf } from '../identities.ts';
import { draftEvent } from '../journal.ts';
import { RunReceipt } from '../record.ts';
import type { StoredReceipt } from '../stored-records.ts';
import { operationDone } from '../study/progress.ts';
import { causeOf, type FoldContext, readingOf, type StepResult, type StudyRun } from '../study-run.ts';
import { assessmentReceipt, type VerifiedAssessment } from './assess.ts';
import type { RunStage } from './stage.ts';

const { capability } = studyStages.decide.grant;

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
      operationId: claimOperationIdOf(capability, inputs, claims, limits),
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

function decisionStarted(run: StudyRun, { operationId, authorization, inputs }: EvidenceDecisionReceipt): EventDraft {
  const { grantId, taskId, agentId, maxAuditedAssessments } = authorization;
  const request = { operationId, taskId, agentId, executionId: run.ids.executionId, auditedAssessments: inputs };
  return draftEvent('analysis.evidence.decision_started', { request, grantId, maxAuditedAssessments }, causeOf(run));
}

/** The outputs of a decision. */
function recordDecision(run: StudyRun, receipt: EvidenceDecisionReceipt): StepResult<DecisionReference> {
  const { events, ...written } = decisionReceipt.write('analysis.evidence.decision_completed', run, receipt);
  return { ...written, events: [decisionStarted(run, receipt), ...events] };
}

/** Decides on the claims of all assessments of a run. Throws `EvidenceChainError` if there are no assessments. */
export const performDecision = (
  run: StudyRun,
  assessments: readonly EvidenceAssessmentReceipt[],
): StepResult<DecisionReference> => recordDecision(run, decisionReceipt.of(run, assessments));

export type VerifiedDecision = StoredReceipt<EvidenceDecisionReceipt>;

/** Takes the decision, reopens its receipt and runs the policy again. Throws `EvidenceChainError`. */
async function foldDecision(
  { run, journal, content, report }: FoldContext,
  assessments: readonly VerifiedAssessment[],
): Promise<VerifiedDecision> {
  const { receiptContentId } = journal.expect('analysis.evidence.decision_completed', 2).data;
  const derived = decisionReceipt.of(
    run,
    assessments.map(({ body }) => body),
  );
  const decision = await decisionReceipt.reopen(content, receiptContentId, () => derived);
  journal.take(recordDecision(run, decision.body).events);
  const { operationId, decision: decided } = decision.body;
  const judgement = judgementBy(ruleSets.decision);
  report({ link: 'decision', subject: operationId, contentId: receiptContentId, detail: decided.outcome, judgement });
  return decision;
}

/** The part of a run that a decision reads. */
interface Decidable {
  readonly assessments: readonly VerifiedAssessment[];
  readonly decision: VerifiedDecision | null;
}

/** The one decision over all claims; a study without a claim has none. */
export const decideStage: RunStage<
  Decidable,
  Pick<Decidable, 'decision'>,
  { readonly findings: Pick<Decidable, 'decision'> }
> = {
  name: 'decide',
  nothing: { decision: null },
  records: { decision: evidenceDecisionReceipt },
  derived: (run, _, { assessments }) => [
    performDecision(
      run,
      assessments.map(({ body }) => body),
    ),
  ],
  progress: {
    'analysis.evidence.decision_completed': (progress, { operationId }) =>
      operationDone(progress, 'decide', operationId),
  },
  folds: {
    'analysis.evidence.decision_started': async (context, { findings: { assessments, decision } }) => {
      if (assessments.length === 0 || decision !== null) throw context.journal.fault('type');
      return { findings: { decision: await foldDecision(context, assessments) } };
    },
  },
};
