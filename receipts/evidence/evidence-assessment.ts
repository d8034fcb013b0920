import { assessmentLimits, type EvidenceAssessmentReceipt } from '../../contract/evidence/evidence-assessment.ts';
import { type AssessmentReference, decisionLimits } from '../../contract/evidence/evidence-decision.ts';
import type { EvidenceReadReceipt } from '../../contract/evidence/evidence-read.ts';
import type { EventDraft } from '../../storage/ledger/ledger.ts';
import { contentIdOf, hashOf } from '../core/canonical-json.ts';
import { artifactRecorded, draftEvent } from '../core/event-draft.ts';
import { demandDerived, EvidenceChainError } from '../core/evidence-chain-error.ts';
import { operationIdOf } from '../core/operation-key.ts';
import { outputOf, receiptOriginOf, referenceOf } from '../core/receipt-output.ts';
import { causeOf, type StudyRun } from '../core/study-run.ts';
import type { StepResult } from '../core/study-step.ts';
import { packReads } from './assessment-packing.ts';
import { auditRead } from './audit-read.ts';
import { claimsOf, hullOf, tokenCountOf } from './evidence-claims.ts';

const capability = 'analysis.evidence.assess';

/** Who assesses, and by which grant. */
export type Assessor = Pick<EvidenceAssessmentReceipt['authorization'], 'grantId' | 'taskId' | 'agentId'>;

const inputOf = (read: EvidenceReadReceipt): EvidenceAssessmentReceipt['inputs'][number] => ({
  readOperationId: read.operationId,
  receiptId: read.receiptId,
  receiptContentId: contentIdOf(read),
  evidenceArtifactId: read.input.artifactId,
  evidenceKind: read.input.evidenceKind,
  returnedItems: read.result.returnedItems,
  truncated: read.result.truncated,
});

/**
 * What these reads say, in claims. Follows from the reads and the assessor alone, so an audit derives it again.
 * Throws `EvidenceChainError` for reads that say nothing: there is no assessment without a claim.
 */
export function assess(
  { grantId, taskId, agentId }: Assessor,
  reads: readonly EvidenceReadReceipt[],
): EvidenceAssessmentReceipt {
  const claims = claimsOf(reads);
  if (claims.length === 0) throw new EvidenceChainError('assessment', 'claims');
  const inputs = reads.map(inputOf);
  const body: Omit<EvidenceAssessmentReceipt, 'schema' | 'receiptId'> = {
    operationId: operationIdOf({
      operation: capability,
      inputContentIds: inputs.map(({ receiptContentId }) => receiptContentId),
      range: hullOf(claims.map(({ range }) => range)),
      tools: [],
      parameters: assessmentLimits,
    }),
    capability,
    authorization: { grantId, taskId, agentId, ...assessmentLimits },
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
  return {
    schema: 'studio.evidence-assessment.receipt.v1',
    receiptId: `evidence-assessment:${hashOf(body)}`,
    ...body,
  };
}

/**
 * Derives an assessment again from the reads that it names, after auditing each of them; `reads` may hold more. Throws
 * `EvidenceChainError` at the first field that does not follow.
 */
export function auditAssessment(receipt: EvidenceAssessmentReceipt, reads: readonly EvidenceReadReceipt[]): void {
  const { authorization } = receipt;
  const known = new Map(reads.map((read) => [contentIdOf(read), read]));
  const opened = receipt.inputs.map(({ receiptContentId }, index) => {
    const read = known.get(receiptContentId);
    if (read === undefined) throw new EvidenceChainError('assessment', `inputs[${index}].receiptContentId`);
    auditRead(read);
    for (const name of ['taskId', 'agentId'] as const) {
      if (read.authorization[name] !== authorization[name]) {
        throw new EvidenceChainError('assessment', `authorization.${name}`);
      }
    }
    return read;
  });
  demandDerived('assessment', receipt, assess(authorization, opened));
}

function started(run: StudyRun, { operationId, authorization, inputs }: EvidenceAssessmentReceipt): EventDraft {
  const { grantId, taskId, agentId, maxAssessments, ...limits } = authorization;
  const readReceipts = inputs.map(({ receiptId, receiptContentId }) => ({ receiptId, receiptContentId }));
  const request = { operationId, taskId, agentId, executionId: run.ids.executionId, readReceipts };
  return draftEvent('analysis.evidence.assessment_started', { request, grantId, ...limits }, causeOf(run));
}

/**
 * Assesses all reads that returned anything, in as few assessments as they fit into. Without a claim there is none, and
 * the result is empty. Throws `EvidenceChainError` when a read is not what it says or the reads take more than four.
 */
export function performAssessments(
  run: StudyRun,
  reads: readonly EvidenceReadReceipt[],
): StepResult<AssessmentReference[]> {
  for (const read of reads) auditRead(read);
  const groups = packReads(reads.filter(({ facts }) => facts.length > 0));
  if (groups.length > decisionLimits.maxAuditedAssessments) throw new EvidenceChainError('assessment', 'inputs');
  const results = groups.map((group) => assessmentResult(run, assess(assessorOf(run), group)));
  return {
    objects: results.flatMap(({ objects }) => objects),
    events: results.flatMap(({ events }) => events),
    refs: results.map(({ refs }) => refs),
  };
}

/** Who assesses in a run. */
export const assessorOf = ({ ids }: StudyRun): Assessor => ({
  grantId: ids.grantIds[capability],
  taskId: ids.taskId,
  agentId: ids.agentId,
});

/** What one assessment leaves behind. */
export function assessmentResult(run: StudyRun, receipt: EvidenceAssessmentReceipt): StepResult<AssessmentReference> {
  const { runtimeId } = run.record;
  const { object, artifact } = outputOf(receipt, {
    runId: runtimeId,
    ...receiptOriginOf(receipt),
    sourceArtifactIds: [...new Set(receipt.inputs.map(({ evidenceArtifactId }) => evidenceArtifactId))],
    producer: run.ids,
  });
  const { operationId } = receipt;
  const completed = { operationId, outputArtifactId: artifact.id, receiptContentId: object.contentId, receipt };
  return {
    objects: [object],
    events: [
      started(run, receipt),
      artifactRecorded(artifact, causeOf(run)),
      draftEvent('analysis.evidence.assessment_completed', completed, causeOf(run)),
    ],
    refs: referenceOf(runtimeId, receipt),
  };
}
