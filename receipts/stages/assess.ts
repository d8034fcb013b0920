import {
  type AssessmentReference,
  assessmentLimits,
  type DecisionReference,
  decisionLimits,
  type EvidenceAssessmentReceipt,
  type EvidenceDecisionReceipt,
  evidenceAssessmentReceipt,
  evidenceDecisionReceipt,
  maximumAssessmentReceiptBytes,
  maximumDecisionReceiptBytes,
} from '../../contract/evidence/assessment.ts';
import type { EvidenceReadReceipt } from '../../contract/evidence/evidence-read.ts';
import { contentIdOfJson } from '../../formats/canonical-json.ts';
import { claimsOf, decisionOf, packReads, tokenCountOf } from '../../rules/claims.ts';
import { judgementBy, ruleSets } from '../../rules/rule-sets.ts';
import { hullOf } from '../../rules/time-spans.ts';
import type { EventDraft } from '../../storage/ledger/ledger.ts';
import { countText, EvidenceChainError } from '../evidence-chain.ts';
import { operationIdOf } from '../identities.ts';
import { draftEvent } from '../journal.ts';
import { RunReceipt } from '../record.ts';
import type { StoredReceipt } from '../stored-records.ts';
import { causeOf, type FoldContext, readingOf, type StepResult, type StudyRun } from '../study-run.ts';
import type { VerifiedRead } from './read.ts';

const assessCapability = 'analysis.evidence.assess';

const inputOf = (read: EvidenceReadReceipt): EvidenceAssessmentReceipt['inputs'][number] => ({
  readOperationId: read.operationId,
  receiptId: read.receiptId,
  receiptContentId: contentIdOfJson(read),
  evidenceArtifactId: read.input.artifactId,
  evidenceKind: read.input.evidenceKind,
  returnedItems: read.result.returnedItems,
  truncated: read.result.truncated,
});

/** What the reads of a study say, in claims. There is no assessment without a claim. */
export const assessmentReceipt = new RunReceipt<
  EvidenceAssessmentReceipt,
  'operationId',
  readonly EvidenceReadReceipt[]
>({
  link: 'assessment',
  schema: evidenceAssessmentReceipt,
  maximumBytes: maximumAssessmentReceiptBytes,
  name: 'studio.evidence-assessment.receipt.v1',
  idPrefix: 'evidence-assessment',
  kind: 'evidence-assessment-receipt',
  about: 'operationId',
  origin: ({ operationId }) => ({ kind: 'operation_output', operationId }),
  sources: ({ inputs }) => [...new Set(inputs.map(({ evidenceArtifactId }) => evidenceArtifactId))],
  producer: 'task',
  derive: ({ ids: { taskId, agentId, grantIds } }, reads) => {
    const claims = claimsOf(reads);
    if (claims.length === 0) throw new EvidenceChainError('assessment', 'claims');
    const inputs = reads.map(inputOf);
    return {
      operationId: operationIdOf({
        operation: assessCapability,
        inputContentIds: inputs.map(({ receiptContentId }) => receiptContentId),
        range: hullOf(claims.map(({ range }) => range)),
        tools: [],
        parameters: assessmentLimits,
      }),
      capability: assessCapability,
      authorization: { grantId: grantIds[assessCapability], taskId, agentId, ...assessmentLimits },
      inputs,
      producer: { id: 'studio.bounded-evidence-assessment', version: '1' },
      claims,
      result: {
        readReceiptCount: inputs.length,
        claimCount: claims.length,
        citationCount: claims.reduce((sum, { citations }) => sum + citations.length, 0),
        tokenCount: tokenCountOf(claims),
      },
    };
  },
});

/** The reads that an assessment names, of those by content id. Throws `EvidenceChainError` where one is not among them. */
export function assessedReads(
  { inputs }: EvidenceAssessmentReceipt,
  known: ReadonlyMap<string, EvidenceReadReceipt>,
): EvidenceReadReceipt[] {
  return inputs.map(({ receiptContentId }, index) => {
    const read = known.get(receiptContentId);
    if (read === undefined) throw new EvidenceChainError('assessment', `inputs[${index}].receiptContentId`);
    return read;
  });
}

function assessmentStarted(
  run: StudyRun,
  { operationId, authorization, inputs }: EvidenceAssessmentReceipt,
): EventDraft {
  const { grantId, taskId, agentId, maxAssessments, ...limits } = authorization;
  const readReceipts = inputs.map(({ receiptId, receiptContentId }) => ({ receiptId, receiptContentId }));
  const request = { operationId, taskId, agentId, executionId: run.ids.executionId, readReceipts };
  return draftEvent('analysis.evidence.assessment_started', { request, grantId, ...limits }, causeOf(run));
}

/** What one assessment leaves behind. */
function recordAssessment(run: StudyRun, receipt: EvidenceAssessmentReceipt): StepResult<AssessmentReference> {
  const { events, ...written } = assessmentReceipt.write('analysis.evidence.assessment_completed', run, receipt);
  return { ...written, events: [assessmentStarted(run, receipt), ...events] };
}

/**
 * Assesses all reads that returned anything, in as few assessments as they fit into, one after the other, so that others may
 * work in between. Without a claim there is none. Throws `EvidenceChainError` when the reads take more than the study may make.
 */
export function* eachAssessment(
  run: StudyRun,
  reads: readonly EvidenceReadReceipt[],
): Generator<StepResult<AssessmentReference>> {
  const groups = packReads(reads.filter(({ facts }) => facts.length > 0));
  if (groups.length > readingOf(run).maxAuditedAssessments) throw new EvidenceChainError('assessment', 'inputs');
  for (const group of groups) yield recordAssessment(run, assessmentReceipt.of(run, group));
}

const decideCapability = 'analysis.evidence.decide';

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
        operation: decideCapability,
        inputContentIds: inputs.map(({ receiptContentId }) => receiptContentId),
        range: hullOf(claims.map(({ range }) => range)),
        tools: [],
        parameters: limits,
      }),
      capability: decideCapability,
      authorization: { grantId: grantIds[decideCapability], taskId, agentId, ...limits },
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

/** What a decision leaves behind. */
function recordDecision(run: StudyRun, receipt: EvidenceDecisionReceipt): StepResult<DecisionReference> {
  const { events, ...written } = decisionReceipt.write('analysis.evidence.decision_completed', run, receipt);
  return { ...written, events: [decisionStarted(run, receipt), ...events] };
}

/** Decides upon the claims of all assessments of a run. Throws `EvidenceChainError` where there is nothing to decide upon. */
export const performDecision = (
  run: StudyRun,
  assessments: readonly EvidenceAssessmentReceipt[],
): StepResult<DecisionReference> => recordDecision(run, decisionReceipt.of(run, assessments));

export type VerifiedAssessment = StoredReceipt<EvidenceAssessmentReceipt>;
export type VerifiedDecision = StoredReceipt<EvidenceDecisionReceipt>;

/** Each read that returned something is assessed, and none twice. */
export function checkAssessed(assessments: readonly VerifiedAssessment[], reads: readonly VerifiedRead[]): void {
  const assessed = new Map<string, number>();
  for (const { receiptContentId } of assessments.flatMap(({ body }) => body.inputs))
    assessed.set(receiptContentId, (assessed.get(receiptContentId) ?? 0) + 1);
  for (const { contentId, body } of reads) {
    const times = assessed.get(contentId) ?? 0;
    if (times !== (body.facts.length > 0 ? 1 : 0)) {
      throw new EvidenceChainError('assessment', `the read ${contentId} is assessed ${times} times`);
    }
  }
}

/**
 * Takes all assessments, which are written together: reopens their receipts and derives each again from its reads, with
 * claims, states and citations. There are no more than the run was granted. Throws `EvidenceChainError`.
 */
export async function foldAssessments(
  { run, journal, content, report, pause }: FoldContext,
  reads: readonly VerifiedRead[],
): Promise<VerifiedAssessment[]> {
  const assessments: VerifiedAssessment[] = [];
  const known = new Map(reads.map(({ contentId, body }) => [contentId, body]));
  while (journal.typeAt() === 'analysis.evidence.assessment_started') {
    if (assessments.length === readingOf(run).maxAuditedAssessments) throw journal.fault('type');
    const { receiptContentId } = journal.expect('analysis.evidence.assessment_completed', 2).data;
    const assessment = await assessmentReceipt.reopen(content, receiptContentId, (found) =>
      assessmentReceipt.of(run, assessedReads(found, known)),
    );
    journal.take(recordAssessment(run, assessment.body).events);
    assessments.push(assessment);
    const { operationId, result } = assessment.body;
    report({
      link: 'assessment',
      subject: operationId,
      contentId: receiptContentId,
      detail: countText(result.claimCount, 'claim'),
      judgement: judgementBy(ruleSets.claims),
    });
    await pause();
  }
  checkAssessed(assessments, reads);
  return assessments;
}

/** Takes the decision, reopens its receipt and runs the policy again. Throws `EvidenceChainError`. */
export async function foldDecision(
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
