import {
  type ApprovalReference,
  attestations,
  type Reviewer,
  type RevocationDecision,
} from '../../contract/review/publish-review.ts';
import type { PublishReviewRevocationReceipt } from '../../contract/review/publish-review-receipts.ts';
import { artifactIdOf } from '../core/artifact.ts';
import { contentIdOf, hashOf } from '../core/canonical-json.ts';
import { artifactRecorded, draftEvent } from '../core/event-draft.ts';
import { demandDerived } from '../core/evidence-chain-error.ts';
import { outputOf } from '../core/receipt-output.ts';
import { causeOf, type StudyRun } from '../core/study-run.ts';
import type { StepResult } from '../core/study-step.ts';

/** One revocation for each approval of a run. */
export const revocationIdOf = (runId: string, approval: ApprovalReference): string =>
  `publish-review-revocation:${hashOf({ runId, approval })}`;

/** Who withdrew which approval, and why. */
export interface RevokedApproval {
  readonly approval: ApprovalReference;
  readonly reviewer: Reviewer;
  readonly revocation: RevocationDecision;
}

/** How a revocation is named in answers. */
export interface RevocationReference {
  readonly revocationId: string;
  readonly artifactId: string;
  readonly receiptId: string;
  readonly receiptContentId: string;
}

/** The receipt of a revocation; it follows from the request alone. */
export function revocationReceiptOf(
  runId: string,
  { approval, reviewer, revocation }: RevokedApproval,
): PublishReviewRevocationReceipt {
  const body: Omit<PublishReviewRevocationReceipt, 'schema' | 'receiptId'> = {
    revocationId: revocationIdOf(runId, approval),
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
  };
  return {
    schema: 'studio.publish-review-revocation.receipt.v1',
    receiptId: `publish-review-revocation-receipt:${hashOf(body)}`,
    ...body,
  };
}

/** Derives a revocation again. Throws `EvidenceChainError` at the first field that does not follow. */
export const auditRevocation = (
  receipt: PublishReviewRevocationReceipt,
  runId: string,
  approval: ApprovalReference,
): void => {
  const { reviewer, revocation } = receipt;
  const { id, label } = reviewer;
  demandDerived('revocation', receipt, revocationReceiptOf(runId, { approval, reviewer: { id, label }, revocation }));
};

const originOf = (revocationId: string) =>
  ({ kind: 'publish-review-revocation-receipt', origin: { kind: 'publish_review_revocation', revocationId } }) as const;

/** How answers name a revocation. */
export function revocationReferenceOf(runId: string, receipt: PublishReviewRevocationReceipt): RevocationReference {
  const receiptContentId = contentIdOf(receipt);
  const { revocationId, receiptId } = receipt;
  const artifactId = artifactIdOf({ runId, contentId: receiptContentId, ...originOf(revocationId) });
  return { revocationId, artifactId, receiptId, receiptContentId };
}

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
export function recordRevocation(run: StudyRun, revoked: RevokedApproval): StepResult<RevocationReference> {
  const { runtimeId } = run.record;
  const receipt = revocationReceiptOf(runtimeId, revoked);
  const { revocationId } = receipt;
  const { object, artifact } = outputOf(receipt, {
    runId: runtimeId,
    ...originOf(revocationId),
    sourceArtifactIds: [revoked.approval.artifactId],
    producer: null,
  });
  const completed = { revocationId, outputArtifactId: artifact.id, receiptContentId: object.contentId, receipt };
  return {
    objects: [object],
    events: [
      artifactRecorded(artifact, causeOf(run)),
      draftEvent('publish.review.revocation_completed', completed, causeOf(run)),
    ],
    refs: revocationReferenceOf(runtimeId, receipt),
  };
}
