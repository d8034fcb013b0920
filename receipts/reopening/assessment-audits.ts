import type { AssessmentAudit, AssessmentAudits } from '../../contract/study/assessment-audits.ts';
import { EvidenceChainError } from '../core/evidence-chain-error.ts';
import { assessmentReceipt } from '../evidence/evidence-assessment.ts';
import type { VerifiedAssessment } from '../evidence/fold-judgement.ts';
import type { VerifiedRead } from '../evidence/fold-reads.ts';
import type { VerifiedRuntime } from './reopen-runtime.ts';
import { runtimeListOf } from './runtime-list.ts';

/** An assessment whose citations name the reads and the evidence that they lead to. */
function auditOf(runId: string, { body }: VerifiedAssessment, reads: readonly VerifiedRead[]): AssessmentAudit {
  const citationOf = (citation: (typeof body.claims)[number]['citations'][number]) => {
    const read = reads.find(({ contentId }) => contentId === citation.receiptContentId);
    if (read === undefined) throw new EvidenceChainError('assessment', 'claims.citations.receiptContentId');
    const { operationId, input } = read.body;
    return { ...citation, readOperationId: operationId, evidenceArtifactId: input.artifactId };
  };
  const { taskId, agentId } = body.authorization;
  return {
    ...assessmentReceipt.referenceOf(runId, body),
    taskId,
    agentId,
    integrity: 'stored_receipt_and_citations_verified',
    claims: body.claims.map((claim) => ({ ...claim, citations: claim.citations.map(citationOf) })),
  };
}

/** The answer to a request for the assessments of a runtime, all of them reopened. */
export function assessmentAuditsOf(runtime: VerifiedRuntime): AssessmentAudits {
  const { assessments = [], reads = [] } = runtime.execution?.study.findings ?? {};
  const { runtimeId } = runtime.accepted.record;
  return {
    schema: 'studio.local-runtime-assessment-audits.v1',
    ...runtimeListOf(runtime),
    audits: assessments.map((assessment) => auditOf(runtimeId, assessment, reads)),
  };
}
