import {
  assessmentLimits,
  type EvidenceAssessmentReceipt,
  evidenceAssessmentReceipt,
  maximumAssessmentReceiptBytes,
} from '../../contract/evidence/evidence-assessment.ts';
import type { AssessmentReference } from '../../contract/evidence/evidence-decision.ts';
import type { EvidenceReadReceipt } from '../../contract/evidence/evidence-read.ts';
import type { EventDraft } from '../../storage/ledger/ledger.ts';
import { contentIdOf } from '../core/canonical-json.ts';
import { draftEvent } from '../core/event-draft.ts';
import { EvidenceChainError } from '../core/evidence-chain-error.ts';
import { operationIdOf } from '../core/operation-key.ts';
import { RunReceipt } from '../core/record.ts';
import { causeOf, readingOf, type StudyRun } from '../core/study-run.ts';
import type { StepResult } from '../core/study-step.ts';
import { hullOf } from '../core/time-spans.ts';
import { packReads } from './assessment-packing.ts';
import { claimsOf, tokenCountOf } from './evidence-claims.ts';

const capability = 'analysis.evidence.assess';

const inputOf = (read: EvidenceReadReceipt): EvidenceAssessmentReceipt['inputs'][number] => ({
  readOperationId: read.operationId,
  receiptId: read.receiptId,
  receiptContentId: contentIdOf(read),
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
        operation: capability,
        inputContentIds: inputs.map(({ receiptContentId }) => receiptContentId),
        range: hullOf(claims.map(({ range }) => range)),
        tools: [],
        parameters: assessmentLimits,
      }),
      capability,
      authorization: { grantId: grantIds[capability], taskId, agentId, ...assessmentLimits },
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

function started(run: StudyRun, { operationId, authorization, inputs }: EvidenceAssessmentReceipt): EventDraft {
  const { grantId, taskId, agentId, maxAssessments, ...limits } = authorization;
  const readReceipts = inputs.map(({ receiptId, receiptContentId }) => ({ receiptId, receiptContentId }));
  const request = { operationId, taskId, agentId, executionId: run.ids.executionId, readReceipts };
  return draftEvent('analysis.evidence.assessment_started', { request, grantId, ...limits }, causeOf(run));
}

/** What one assessment leaves behind. */
export function recordAssessment(run: StudyRun, receipt: EvidenceAssessmentReceipt): StepResult<AssessmentReference> {
  const { events, ...written } = assessmentReceipt.write('analysis.evidence.assessment_completed', run, receipt);
  return { ...written, events: [started(run, receipt), ...events] };
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
