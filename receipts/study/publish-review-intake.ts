import type { PublishReviewIntakeReceipt } from '../../contract/review/publish-review-intake.ts';
import type { ReadinessReference, StudyReadinessReceipt } from '../../contract/study/study-readiness.ts';
import { hashOf } from '../core/canonical-json.ts';
import { demandDerived } from '../core/evidence-chain-error.ts';
import { readinessReferenceOf } from './study-readiness.ts';

/** One intake for each readiness receipt of a run. */
export const intakeIdOf = (runId: string, readiness: ReadinessReference): string =>
  `publish-review-intake:${hashOf({ runId, readiness })}`;

/** Queues a study that is ready, rejects one that is not, for the reasons of its readiness. */
export function intakeOf(runId: string, receipt: StudyReadinessReceipt): PublishReviewIntakeReceipt {
  const readiness = readinessReferenceOf(runId, receipt);
  const body: Omit<PublishReviewIntakeReceipt, 'schema' | 'receiptId'> = {
    intakeId: intakeIdOf(runId, readiness),
    input: {
      readiness,
      verification: {
        integrity: 'stored_study_readiness_and_recursive_inputs_verified',
        producer: 'deterministic_study_readiness_gate_v1',
      },
    },
    producer: {
      id: 'studio.host-publish-review-intake',
      version: '1',
      policy: 'queue_exact_verified_study_readiness_only',
    },
    result: {
      outcome: receipt.outcome === 'ready' ? 'queued' : 'rejected',
      reasonCodes: receipt.reasonCodes,
    },
  };
  return {
    schema: 'studio.publish-review-intake.receipt.v1',
    receiptId: `publish-review-intake-receipt:${hashOf(body)}`,
    ...body,
  };
}

/**
 * Derives an intake again from the same inputs as `intakeOf`. Throws `EvidenceChainError` at the first field that does not
 * follow.
 */
export const auditIntake = (
  receipt: PublishReviewIntakeReceipt,
  runId: string,
  readiness: StudyReadinessReceipt,
): void => demandDerived('intake', receipt, intakeOf(runId, readiness));
