import type { EvidenceAssessmentReceipt } from '../../contract/evidence/evidence-assessment.ts';
import type { EvidenceDecisionReceipt } from '../../contract/evidence/evidence-decision.ts';
import { counted } from '../core/checked-link.ts';
import { EvidenceChainError } from '../core/evidence-chain-error.ts';
import type { StoredReceipt } from '../core/stored-receipt.ts';
import { readingOf } from '../core/study-run.ts';
import { assessedReads, assessmentReceipt, recordAssessment } from './evidence-assessment.ts';
import { decisionReceipt, recordDecision } from './evidence-decision.ts';
import type { FoldContext } from './fold-context.ts';
import type { VerifiedRead } from './fold-reads.ts';

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
      detail: counted(result.claimCount, 'claim'),
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
  report({ link: 'decision', subject: operationId, contentId: receiptContentId, detail: decided.outcome });
  return decision;
}
