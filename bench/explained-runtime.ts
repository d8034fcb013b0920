import { captionProductionResults } from '../contract/captions/caption-answers.ts';
import type { CaptionReference } from '../contract/captions/caption-production.ts';
import type { ExplanationRequest } from '../contract/explanations/explanation.ts';
import { publishReviewDecisions, publishReviewIntakes } from '../contract/review.ts';
import { approval } from '../test/receipts/review/review-steps.ts';
import type { Client } from './client.ts';

/** Flags for captions of embedded subtitles, with explanations. */
export const explainerFlags = [
  ...['--caption-executor', 'embedded-subtitles', '--allow-embedded-subtitle-captions'],
  ...['--language-explanation-executor', 'openai', '--allow-real-language-explanation'],
  ...['--language-explanation-model', 'stand-in'],
];

export type Question = ExplanationRequest;

interface Captions {
  readonly reference: CaptionReference;
  readonly lines: readonly { readonly id: string; readonly text: string }[];
}

/** Has a queued study approved and captioned. */
export async function captionedRuntime(client: Client, runtimeId: string): Promise<Captions> {
  const path = `/v1/runtimes/${runtimeId}`;
  const [queued] = publishReviewIntakes.parse(await client.read(`${path}/publish-review-intakes`)).intakes;
  const { reviewer } = publishReviewDecisions.parse(await client.read(`${path}/publish-review-decisions`));
  if (queued === undefined) throw new Error('the study is not queued');
  const { intakeId, artifactId, receiptId, receiptContentId } = queued;
  const intake = { intakeId, artifactId, receiptId, receiptContentId };
  const attested = { id: reviewer.id, attestation: reviewer.decisionAttestation };
  const decided = await client.post(
    `${path}/publish-review-decisions`,
    { intake, reviewer: attested, decision: approval },
    201,
  );
  const [review] = publishReviewDecisions.parse(decided).reviews;
  if (review === undefined) throw new Error('nothing was decided');
  const approved = {
    reviewId: review.reviewId,
    artifactId: review.artifactId,
    receiptId: review.receiptId,
    receiptContentId: review.receiptContentId,
  };
  await client.post(`${path}/caption-productions`, { approval: approved }, 201);
  const results = captionProductionResults.parse(await client.read(`${path}/caption-production-results`));
  const [made] = results.results;
  if (made === undefined) throw new Error('there are no captions');
  const { jobId, captionArtifactId, captionContentId, receiptArtifactId, ...names } = made.verification;
  return {
    reference: {
      jobId,
      artifactId: captionArtifactId,
      contentId: captionContentId,
      receiptArtifactId,
      receiptId: names.receiptId,
      receiptContentId: names.receiptContentId,
    },
    lines: made.artifact.lines.map(({ id, source }) => ({ id, text: source.text ?? '' })),
  };
}

/** Every question about one facet of one stretch of the captions. */
export const questionsOf = ({ reference, lines }: Captions): Question[] =>
  (['meaning', 'word', 'phrase', 'grammar'] as const).flatMap((facetKind) =>
    lines.flatMap(({ id, text }) =>
      stretchesOf([...text]).map(({ start, end }) => ({
        caption: reference,
        lineId: id,
        selection: {
          side: 'source',
          unit: 'unicode_code_point',
          start,
          end,
          text: [...text].slice(start, end).join(''),
        },
        facetKinds: [facetKind],
      })),
    ),
  );

const stretchesOf = (points: readonly string[]): { start: number; end: number }[] =>
  points.flatMap((_, start) => points.slice(start).map((_, length) => ({ start, end: start + length + 1 })));
