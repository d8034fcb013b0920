import {
  type PublishReviewIntakeReceipt,
  publishReviewIntakeReceipt,
} from '../../contract/review/publish-review-intake.ts';
import {
  maximumReviewReceiptBytes,
  type ReadinessReference,
  type StudyReadinessReceipt,
} from '../../contract/study/study-readiness.ts';
import { hashOf } from '../core/canonical-json.ts';
import { RunReceipt } from '../core/record.ts';
import { readinessReceipt } from './study-readiness.ts';

/** One intake for each readiness receipt of a run. */
export const intakeIdOf = (runId: string, readiness: ReadinessReference): string =>
  `publish-review-intake:${hashOf({ runId, readiness })}`;

/** Queues a study that is ready, rejects one that is not, for the reasons of its readiness. */
export const intakeReceipt = new RunReceipt<PublishReviewIntakeReceipt, 'intakeId', StudyReadinessReceipt>({
  link: 'intake',
  schema: publishReviewIntakeReceipt,
  maximumBytes: maximumReviewReceiptBytes,
  name: 'studio.publish-review-intake.receipt.v1',
  idPrefix: 'publish-review-intake-receipt',
  kind: 'publish-review-intake-receipt',
  about: 'intakeId',
  origin: ({ intakeId }) => ({ kind: 'publish_review_intake', intakeId }),
  sources: ({ input }) => [input.readiness.artifactId],
  producer: 'host',
  derive: ({ record: { runtimeId } }, receipt) => {
    const readiness = readinessReceipt.referenceOf(runtimeId, receipt);
    return {
      intakeId: intakeIdOf(runtimeId, readiness),
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
  },
});
