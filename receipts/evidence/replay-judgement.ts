import type { EvidenceAssessmentReceipt } from '../../contract/evidence/evidence-assessment.ts';
import type { EvidenceDecisionReceipt } from '../../contract/evidence/evidence-decision.ts';
import type { EvidenceReadReceipt } from '../../contract/evidence/evidence-read.ts';
import { counted } from '../core/checked-link.ts';
import { checkObject, demandDerived, EvidenceChainError } from '../core/evidence-chain-error.ts';
import { readReceipt, type StoredReceipt } from '../core/stored-receipt.ts';
import { assess, assessmentResult, assessorOf } from './evidence-assessment.ts';
import { decide, deciderOf, decisionResult } from './evidence-decision.ts';
import { assessmentShape, decisionShape } from './reopen-evidence.ts';
import type { ReplayContext } from './replay-media.ts';
import type { VerifiedRead } from './replay-reads.ts';

export type VerifiedAssessment = StoredReceipt<EvidenceAssessmentReceipt>;
export type VerifiedDecision = StoredReceipt<EvidenceDecisionReceipt>;

function inputsOf({ inputs }: EvidenceAssessmentReceipt, reads: readonly VerifiedRead[]): EvidenceReadReceipt[] {
  return inputs.map(({ receiptContentId }, index) => {
    const read = reads.find(({ contentId }) => contentId === receiptContentId);
    if (read === undefined) throw new EvidenceChainError('assessment', `inputs[${index}].receiptContentId`);
    return read.body;
  });
}

/** Each read that returned something is assessed, and none twice. */
function checkAssessed(assessments: readonly VerifiedAssessment[], reads: readonly VerifiedRead[]): void {
  const assessed = assessments.flatMap(({ body }) => body.inputs.map(({ receiptContentId }) => receiptContentId));
  for (const { contentId, body } of reads) {
    const times = assessed.filter((each) => each === contentId).length;
    if (times !== (body.facts.length > 0 ? 1 : 0)) {
      throw new EvidenceChainError('assessment', `the read ${contentId} is assessed ${times} times`);
    }
  }
}

/**
 * Takes all assessments from the journal, reopens their receipts and derives each again from its reads: claims, states,
 * citations. Throws `EvidenceChainError`.
 */
export async function replayAssessments(
  { run, journal, content, report }: ReplayContext,
  reads: readonly VerifiedRead[],
): Promise<VerifiedAssessment[]> {
  const assessments: VerifiedAssessment[] = [];
  while (journal.typeAt() === 'analysis.evidence.assessment_started') {
    const { receiptContentId } = journal.expect('analysis.evidence.assessment_completed', 2).data;
    const assessment = await readReceipt(assessmentShape, content, receiptContentId);
    checkObject(receiptContentId, () =>
      demandDerived('assessment', assessment.body, assess(assessorOf(run), inputsOf(assessment.body, reads))),
    );
    journal.take(assessmentResult(run, assessment.body).events);
    assessments.push(assessment);
    const { operationId, result } = assessment.body;
    report({
      link: 'assessment',
      subject: operationId,
      contentId: receiptContentId,
      detail: counted(result.claimCount, 'claim'),
    });
  }
  checkAssessed(assessments, reads);
  return assessments;
}

/** Takes the decision from the journal, reopens its receipt and runs the policy again. Throws `EvidenceChainError`. */
export async function replayDecision(
  { run, journal, content, report }: ReplayContext,
  assessments: readonly VerifiedAssessment[],
): Promise<VerifiedDecision> {
  journal.expect('analysis.evidence.decision_started');
  const { receiptContentId } = journal.expect('analysis.evidence.decision_completed', 2).data;
  const decision = await readReceipt(decisionShape, content, receiptContentId);
  const derived = decide(
    deciderOf(run),
    assessments.map(({ body }) => body),
    run.record.runtimeId,
  );
  checkObject(receiptContentId, () => demandDerived('decision', decision.body, derived));
  journal.take(decisionResult(run, decision.body).events);
  const { operationId, decision: decided } = decision.body;
  report({ link: 'decision', subject: operationId, contentId: receiptContentId, detail: decided.outcome });
  return decision;
}
