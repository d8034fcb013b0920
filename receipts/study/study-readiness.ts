import type { DecisionReason, EvidenceDecisionReceipt } from '../../contract/evidence/evidence-decision.ts';
import {
  type GapReason,
  gapReasons,
  maximumReviewReceiptBytes,
  type StudyReadinessReceipt,
  type StudyReference,
  studyReadinessReceipt,
} from '../../contract/study/study-readiness.ts';
import { hashOf } from '../core/canonical-json.ts';
import { RunReceipt } from '../core/record.ts';
import { decisionReceipt } from '../evidence/evidence-decision.ts';

/** What a decision's reason means for a reviewer; a study without a decision is not supported at its root. */
const gapReasonOf: Readonly<Record<DecisionReason, GapReason | null>> = {
  audited_claim_truncated: 'hidden_gap',
  audited_claim_withheld: 'non_supported_root_coverage',
  audited_claim_unknown: 'non_supported_root_coverage',
  all_audited_claims_supported: null,
};

function gapsOf(receipt: EvidenceDecisionReceipt | null): GapReason[] {
  if (receipt === null) return ['non_supported_root_coverage'];
  const found = new Set(receipt.decision.reasonCodes.map((code) => gapReasonOf[code]));
  return gapReasons.filter((reason) => found.has(reason));
}

/** What a readiness rests on. */
export interface DecidedStudy {
  readonly study: StudyReference;
  readonly decision: EvidenceDecisionReceipt | null;
}

/** Whether a study may be put before a reviewer. Follows from the study and its decision alone. */
export const readinessReceipt = new RunReceipt<StudyReadinessReceipt, 'readinessId', DecidedStudy>({
  link: 'readiness',
  schema: studyReadinessReceipt,
  maximumBytes: maximumReviewReceiptBytes,
  name: 'studio.study-readiness.receipt.v1',
  idPrefix: 'study-readiness-receipt',
  kind: 'study-readiness-receipt',
  about: 'readinessId',
  origin: ({ readinessId }) => ({ kind: 'study_readiness', readinessId }),
  sources: ({ study, decision }) => [study.artifactId, ...(decision === null ? [] : [decision.artifactId])],
  producer: 'host',
  derive: ({ record: { runtimeId: runId } }, { study, decision }) => {
    const reasonCodes = gapsOf(decision);
    return {
      readinessId: `study-readiness:${hashOf({ runId, study })}`,
      study,
      decision: decision === null ? null : decisionReceipt.referenceOf(runId, decision),
      producer: { id: 'studio.deterministic-study-readiness-gate', version: '1' },
      outcome: reasonCodes.length === 0 ? 'ready' : 'not_ready',
      reasonCodes,
    };
  },
});
