import type { ExecutionContext } from 'ava';
import {
  type CaptionProductionResults,
  type CaptionRow,
  captionProductionResults,
  captionProductions,
  captionQualityControls,
  type QualityControlRow,
} from '../../../contract/captions/caption-answers.ts';
import type { QualityControlCandidate } from '../../../contract/captions/quality-control.ts';
import {
  type ApprovalReference,
  attestations,
  publishReviewDecisions,
  publishReviewIntakes,
} from '../../../contract/review.ts';
import type { CheckedWire } from '../../host/checked-wire.ts';
import type { KnownOfLives, LifeName } from '../../host/lives.ts';
import { TestHost } from '../../host/test-host.ts';
import type { WireAnswer } from '../../host/wire-question.ts';
import { followed, sampleRow, startStudy, studyRequest } from '../host/study-steps.ts';

/** The part of the sample that is captioned: three utterances, each whole. */
export const captionedRange = { startMs: 0, endMs: 12_000 };

/** The options of hosts that make captions. */
export const captionFlags = {
  seam: ['--caption-executor=deterministic-test', '--allow-deterministic-caption-test-seam'],
  recognized: ['--caption-executor=recognized', '--allow-recognized-captions'],
  embedded: ['--caption-executor=embedded-subtitles', '--allow-embedded-subtitle-captions'],
} as const;

export const pathOf = (runtimeId: string, list: string): string => `/v1/runtimes/${runtimeId}/${list}`;

/** The path of the captions of a job as a file. */
export const fileOf = (runtimeId: string, jobId: string): string =>
  pathOf(runtimeId, `caption-productions/${jobId}.vtt`);

const reviewer = 'reviewer:local-operator';

/** A study that a reviewer approved for captions. */
export interface Approved {
  readonly runtimeId: string;
  readonly approval: ApprovalReference;
}

/** An approved study with its captions. */
export interface Captioned extends Approved {
  readonly caption: CaptionRow;
}

/** A host that makes captions of embedded subtitles. */
export const openCaptioning = (t: ExecutionContext, life: LifeName): Promise<TestHost> =>
  TestHost.open(t, { life, flags: captionFlags.embedded });

/** A host on the life with captions, and what it has. */
export async function openCaptioned(t: ExecutionContext): Promise<{ host: TestHost; study: Captioned }> {
  const host = await openCaptioning(t, 'captioned');
  return { host, study: await captionsOfLife(t, host, host.known) };
}

/** The captions that were made in their life. */
export async function captionsOfLife(t: ExecutionContext, host: CheckedWire, known: KnownOfLives): Promise<Captioned> {
  const study = approvedLife({ known });
  const answer = await host.get(pathOf(study.runtimeId, 'caption-productions'));
  return { ...study, caption: onlyRow(host.granted(t, answer, 200, captionProductions).captions) };
}

/** The study that was approved in its life. */
export const approvedLife = ({ known }: Pick<TestHost, 'known'>): Approved => ({
  runtimeId: known.studies.twelveSeconds,
  approval: known.approval,
});

export function onlyRow<Row>(rows: readonly Row[]): Row {
  const [row, ...others] = rows;
  if (row === undefined || others.length > 0) throw new Error(`${rows.length} rows`);
  return row;
}

/** Decides on a study that waits for its review. */
export async function reviewed(
  t: ExecutionContext,
  host: CheckedWire,
  runtimeId: string,
  decision: { readonly outcome: string; readonly reasonCodes: readonly string[] },
): Promise<Approved> {
  const queue = await host.get(pathOf(runtimeId, 'publish-review-intakes'));
  const found = onlyRow(host.granted(t, queue, 200, publishReviewIntakes).intakes);
  const { integrity, producer, readiness, outcome, reasonCodes, ...intake } = found;
  const answer = await host.post(pathOf(runtimeId, 'publish-review-decisions'), {
    intake,
    reviewer: { id: reviewer, attestation: attestations.decision },
    decision: { ...decision, note: null },
  });
  const review = onlyRow(host.granted(t, answer, 201, publishReviewDecisions).reviews);
  const { reviewId, artifactId, receiptId, receiptContentId } = review;
  return { runtimeId, approval: { reviewId, artifactId, receiptId, receiptContentId } };
}

export const approve = (t: ExecutionContext, host: CheckedWire, runtimeId: string): Promise<Approved> =>
  reviewed(t, host, runtimeId, {
    outcome: 'approve_for_caption_production',
    reasonCodes: ['reviewer_attested_caption_production_may_proceed'],
  });

/** Studies a part of the sample and approves it. */
export async function approved(t: ExecutionContext, host: CheckedWire, others: object): Promise<Approved> {
  const request = studyRequest(await sampleRow(t, host), { range: captionedRange, ...others });
  const { runtimeId } = await startStudy(t, host, request);
  await followed(t, host, runtimeId);
  return approve(t, host, runtimeId);
}

export async function revoke(t: ExecutionContext, host: CheckedWire, { runtimeId, approval }: Approved): Promise<void> {
  const answer = await host.post(pathOf(runtimeId, 'publish-review-revocations'), {
    approval,
    reviewer: { id: reviewer, attestation: attestations.revocation },
    revocation: { reasonCodes: ['approval_entered_in_error'], note: null },
  });
  host.granted(t, answer, 201, publishReviewDecisions);
}

/** Asks for the captions of an approved study. */
export const produce = (host: CheckedWire, { runtimeId, approval }: Approved): Promise<WireAnswer> =>
  host.post(pathOf(runtimeId, 'caption-productions'), { approval });

/** Has the captions of an approved study made. */
export async function captionsOf(t: ExecutionContext, host: CheckedWire, study: Approved): Promise<Captioned> {
  const { captions } = host.granted(t, await produce(host, study), 201, captionProductions);
  return { ...study, caption: onlyRow(captions) };
}

/** Studies a part of the sample, approves it and has captions made. */
export async function captioned(t: ExecutionContext, host: CheckedWire, others: object): Promise<Captioned> {
  return captionsOf(t, host, await approved(t, host, others));
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
  host: CheckedWire,
  runtimeId: string,
): Promise<readonly QualityControlRow[]> {
  const answer = await host.get(pathOf(runtimeId, 'caption-quality-controls'));
  return host.granted(t, answer, 200, captionQualityControls).qualityControls;
}

export async function resultsOf(
  t: ExecutionContext,
  host: CheckedWire,
  runtimeId: string,
): Promise<CaptionProductionResults> {
  const answer = await host.get(pathOf(runtimeId, 'caption-production-results'));
  return host.granted(t, answer, 200, captionProductionResults);
}
