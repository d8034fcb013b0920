import type { ExecutionContext } from 'ava';
import {
  type CaptionRow,
  captionProductions,
  captionQualityControls,
  type QualityControlRow,
} from '../../../contract/captions/caption-answers.ts';
import type { QualityControlCandidate } from '../../../contract/captions/caption-quality-control.ts';
import { type ApprovalReference, attestations } from '../../../contract/review/publish-review.ts';
import { publishReviewDecisions, publishReviewIntakes } from '../../../contract/review/publish-review-answers.ts';
import type { HostContract } from '../host/contract.ts';
import { followed, sampleRow, startStudy, studyRequest } from '../host/study-steps.ts';

/** The part of the sample that is captioned: three utterances, each whole. */
export const captionedRange = { startMs: 0, endMs: 12_000 };

export const pathOf = (runtimeId: string, list: string): string => `/v1/runtimes/${runtimeId}/${list}`;

/** Where the captions of a job are a file. */
export const fileOf = (runtimeId: string, jobId: string): string =>
  pathOf(runtimeId, `caption-productions/${jobId}.vtt`);

const reviewer = 'reviewer:local-operator';

/** A study that a reviewer approved for captions. */
export interface Approved {
  readonly runtimeId: string;
  readonly approval: ApprovalReference;
}

/** Studies a part of the sample and approves it. */
export async function approved(t: ExecutionContext, contract: HostContract, others: object): Promise<Approved> {
  const request = studyRequest(await sampleRow(t, contract), { range: captionedRange, ...others });
  const { runtimeId } = await startStudy(t, contract, request);
  await followed(t, contract, runtimeId);
  const queue = await contract.get(pathOf(runtimeId, 'publish-review-intakes'));
  const [found] = contract.granted(t, queue, 200, publishReviewIntakes).intakes;
  if (found === undefined) throw new Error('no intake');
  const { integrity, producer, readiness, outcome, reasonCodes, ...intake } = found;
  const answer = await contract.post(pathOf(runtimeId, 'publish-review-decisions'), {
    intake,
    reviewer: { id: reviewer, attestation: attestations.decision },
    decision: {
      outcome: 'approve_for_caption_production',
      reasonCodes: ['reviewer_attested_caption_production_may_proceed'],
      note: null,
    },
  });
  const [review] = contract.granted(t, answer, 201, publishReviewDecisions).reviews;
  if (review === undefined) throw new Error('no review');
  const { reviewId, artifactId, receiptId, receiptContentId } = review;
  return { runtimeId, approval: { reviewId, artifactId, receiptId, receiptContentId } };
}

export async function revoke(t: ExecutionContext, contract: HostContract, { runtimeId, approval }: Approved) {
  const answer = await contract.post(pathOf(runtimeId, 'publish-review-revocations'), {
    approval,
    reviewer: { id: reviewer, attestation: attestations.revocation },
    revocation: { reasonCodes: ['approval_entered_in_error'], note: null },
  });
  contract.granted(t, answer, 201, publishReviewDecisions);
}

/** An approved study with its captions. */
export interface Captioned extends Approved {
  readonly caption: CaptionRow;
}

/** Studies a part of the sample, approves it and has captions made. */
export async function captioned(t: ExecutionContext, contract: HostContract, others: object): Promise<Captioned> {
  const study = await approved(t, contract, others);
  const answer = await contract.post(pathOf(study.runtimeId, 'caption-productions'), { approval: study.approval });
  const [caption] = contract.granted(t, answer, 201, captionProductions).captions;
  if (caption === undefined) throw new Error('no captions');
  return { ...study, caption };
}

/** Captions as a request for their check names them. */
export const candidateOf = ({ caption }: Captioned): QualityControlCandidate => ({
  jobId: caption.jobId,
  captionArtifactId: caption.captionArtifactId,
  captionContentId: caption.captionContentId,
  captionReceiptId: caption.receiptId,
  captionReceiptContentId: caption.receiptContentId,
});

export async function checksOf(
  t: ExecutionContext,
  contract: HostContract,
  runtimeId: string,
): Promise<readonly QualityControlRow[]> {
  const answer = await contract.get(pathOf(runtimeId, 'caption-quality-controls'));
  return contract.granted(t, answer, 200, captionQualityControls).qualityControls;
}
