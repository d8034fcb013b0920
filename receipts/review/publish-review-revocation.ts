import type { Failure } from '../../contract/base/failure.ts';
import {
  type ApprovalReference,
  attestations,
  type Reviewer,
  type RevocationDecision,
} from '../../contract/review/publish-review.ts';
import {
  type PublishReviewRevocationReceipt,
  publishReviewRevocationReceipt,
} from '../../contract/review/publish-review-receipts.ts';
import { maximumReviewReceiptBytes } from '../../contract/study/study-readiness.ts';
import { hashOf } from '../core/canonical-json.ts';
import { draftEvent } from '../core/event-draft.ts';
import { RunReceipt } from '../core/record.ts';
import { causeOf, type StudyRun } from '../core/study-run.ts';

/** One revocation for each approval of a run. */
export const revocationIdOf = (runId: string, approval: ApprovalReference): string =>
  `publish-review-revocation:${hashOf({ runId, approval })}`;

/** Who withdrew which approval, and why. */
export interface RevokedApproval {
  readonly approval: ApprovalReference;
  readonly reviewer: Reviewer;
  readonly revocation: RevocationDecision;
}

/** The receipt of a revocation; it follows from the request alone. */
export const revocationReceipt = new RunReceipt<PublishReviewRevocationReceipt, 'revocationId', RevokedApproval>({
  link: 'revocation',
  schema: publishReviewRevocationReceipt,
  maximumBytes: maximumReviewReceiptBytes,
  name: 'studio.publish-review-revocation.receipt.v1',
  idPrefix: 'publish-review-revocation-receipt',
  kind: 'publish-review-revocation-receipt',
  about: 'revocationId',
  origin: ({ revocationId }) => ({ kind: 'publish_review_revocation', revocationId }),
  sources: ({ input }) => [input.approval.artifactId],
  producer: 'host',
  derive: ({ record }, { approval, reviewer, revocation }) => ({
    revocationId: revocationIdOf(record.runtimeId, approval),
    input: {
      approval,
      verification: {
        integrity: 'stored_review_and_verified_queued_intake',
        producer: 'host_publish_review_v1',
        outcome: 'approve_for_caption_production',
      },
    },
    reviewer: {
      ...reviewer,
      attestation: { kind: 'local_operator_attestation_v1', statement: attestations.revocation },
    },
    producer: { id: 'studio.host-publish-review', version: '1', policy: 'immutable_revocation_of_verified_approval' },
    revocation,
    result: { state: 'approval_revoked' },
  }),
});

/** Journalled before a revocation is written down. */
export const revocationStarted = (run: StudyRun, { approval, reviewer, revocation }: RevokedApproval) =>
  draftEvent(
    'publish.review.revocation_started',
    {
      revocationId: revocationIdOf(run.record.runtimeId, approval),
      request: { approval, reviewer: { id: reviewer.id, attestation: attestations.revocation }, revocation },
      reviewerLabel: reviewer.label,
    },
    causeOf(run),
  );

/** Writes a revocation down. */
export const recordRevocation = (run: StudyRun, revoked: RevokedApproval) =>
  revocationReceipt.write('publish.review.revocation_completed', run, revocationReceipt.of(run, revoked));

/** Journalled when a revocation could not be written down: the approval stands. */
export const revocationFailed = (run: StudyRun, approval: ApprovalReference, reason: Failure) =>
  draftEvent(
    'publish.review.revocation_failed',
    { revocationId: revocationIdOf(run.record.runtimeId, approval), reason },
    causeOf(run),
  );
