import {
  type AssessmentReference,
  assessmentLimits,
  type EvidenceAssessmentReceipt,
  evidenceAssessmentReceipt,
  maximumAssessmentReceiptBytes,
} from '../../contract/evidence/assessment.ts';
import type { EvidenceReadReceipt } from '../../contract/evidence/evidence-read.ts';
import { studyStages } from '../../contract/study/stages.ts';
import { contentIdOfJson } from '../../formats/canonical-json.ts';
import { countText } from '../../formats/readable-numbers.ts';
import { claimsOf, packReads, tokenCountOf } from '../../rules/claims.ts';
import { judgementBy, ruleSets } from '../../rules/rule-sets.ts';
import type { EventDraft } from '../../storage/ledger/ledger.ts';
import { EvidenceChainError } from '../evidence-chain.ts';
import { claimOperationIdOf } from '../identities.ts';
import { draftEvent } from '../journal.ts';
import { RunReceipt } from '../record.ts';
import type { StoredReceipt } from '../stored-records.ts';
import { operationDone } from '../study/progress.ts';
import { causeOf, type FoldContext, readingOf, type StepResult, type StudyRun } from '../study-run.ts';
import { isMeasured } from './detect.ts';
import type { VerifiedRead } from './read.ts';
import { checkReads, type ReadFindings } from './read.ts';
import type { RunStage } from './stage.ts';

const { capability } = studyStages.assess.grant;

const inputOf = (read: EvidenceReadReceipt): EvidenceAssessmentReceipt['inputs'][number] => ({
  readOperationId: read.operationId,
  receiptId: read.receiptId,
  receiptContentId: contentIdOfJson(read),
  evidenceArtifactId: read.input.artifactId,
  evidenceKind: read.input.evidenceKind,
  returnedItems: read.result.returnedItems,
  truncated: read.result.truncated,
});

/** The claims from the reads of a study. There is no assessment without a claim. */
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
      operationId: claimOperationIdOf(capability, inputs, claims, assessmentLimits),
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

function assessmentStarted(
  run: StudyRun,
  { operationId, authorization, inputs }: EvidenceAssessmentReceipt,
): EventDraft {
  const { grantId, taskId, agentId, maxAssessments, ...limits } = authorization;
  const readReceipts = inputs.map(({ receiptId, receiptContentId }) => ({ receiptId, receiptContentId }));
  const request = { operationId, taskId, agentId, executionId: run.ids.executionId, readReceipts };
  return draftEvent('analysis.evidence.assessment_started', { request, grantId, ...limits }, causeOf(run));
}

/** The outputs of one assessment. */
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

export type VerifiedAssessment = StoredReceipt<EvidenceAssessmentReceipt>;

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
async function foldAssessments(
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

/** The part of a run that an assessment reads. */
interface Assessable extends ReadFindings {
  readonly assessments: readonly VerifiedAssessment[];
}

/** Turns reads into claims, each with its citations. */
export const assessStage: RunStage<
  Assessable,
  Pick<Assessable, 'assessments'>,
  { readonly findings: Pick<Assessable, 'assessments'> }
> = {
  name: 'assess',
  nothing: { assessments: [] },
  records: { assessment: evidenceAssessmentReceipt },
  derived: (run, _, { reads }) =>
    eachAssessment(
      run,
      reads.map(({ body }) => body),
    ),
  progress: {
    'analysis.evidence.assessment_completed': (progress, { operationId }) =>
      operationDone(progress, 'assess', operationId),
  },
  folds: {
    'analysis.evidence.assessment_started': async (context, study) => {
      const { findings } = study;
      if (!isMeasured(study) || findings.assessments.length > 0) throw context.journal.fault('type');
      checkReads(context, findings);
      return { findings: { assessments: await foldAssessments(context, findings.reads) } };
    },
  },
};
