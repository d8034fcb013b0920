import type { DecisionReason, EvidenceDecisionReceipt } from '../../contract/evidence/evidence-decision.ts';
import {
  type GapReason,
  gapReasons,
  type ReadinessReference,
  type StudyReadinessReceipt,
  type StudyReference,
} from '../../contract/study/study-readiness.ts';
import { artifactIdOf } from '../core/artifact.ts';
import { contentIdOf, hashOf } from '../core/canonical-json.ts';
import { demandDerived } from '../core/evidence-chain-error.ts';
import { referenceOf } from '../core/receipt-output.ts';

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

/** Whether a study may be put before a reviewer. Follows from the study and its decision alone. */
export function readinessOf(
  runId: string,
  study: StudyReference,
  decision: EvidenceDecisionReceipt | null,
): StudyReadinessReceipt {
  const reasonCodes = gapsOf(decision);
  const body: Omit<StudyReadinessReceipt, 'schema' | 'receiptId'> = {
    readinessId: `study-readiness:${hashOf({ runId, study })}`,
    study,
    decision: decision === null ? null : referenceOf(runId, decision),
    producer: { id: 'studio.deterministic-study-readiness-gate', version: '1' },
    outcome: reasonCodes.length === 0 ? 'ready' : 'not_ready',
    reasonCodes,
  };
  return {
    schema: 'studio.study-readiness.receipt.v1',
    receiptId: `study-readiness-receipt:${hashOf(body)}`,
    ...body,
  };
}

/**
 * Derives a readiness receipt again from the same inputs as `readinessOf`. Throws `EvidenceChainError` at the first field
 * that does not follow.
 */
export const auditReadiness = (
  receipt: StudyReadinessReceipt,
  runId: string,
  study: StudyReference,
  decision: EvidenceDecisionReceipt | null,
): void => demandDerived('readiness', receipt, readinessOf(runId, study, decision));

/** What identifies the artifact of a readiness receipt, apart from its bytes. */
export const readinessOriginOf = ({ readinessId }: StudyReadinessReceipt) =>
  ({ kind: 'study-readiness-receipt', origin: { kind: 'study_readiness', readinessId } }) as const;

/** How later records of the same run name a readiness receipt. */
export function readinessReferenceOf(runId: string, receipt: StudyReadinessReceipt): ReadinessReference {
  const contentId = contentIdOf(receipt);
  return {
    readinessId: receipt.readinessId,
    artifactId: artifactIdOf({ runId, contentId, ...readinessOriginOf(receipt) }),
    receiptId: receipt.receiptId,
    receiptContentId: contentId,
  };
}
