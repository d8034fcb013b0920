import type { PublishReviews } from '../../actors/review/publish-reviews.ts';
import {
  publishReviewDecisions,
  publishReviewIntakes,
  reviewDecisionRequest,
  reviewRevocationRequest,
} from '../../contract/review.ts';
import { runtimeId } from '../../contract/study/start.ts';
import { json, refusalsOfReopening } from '../exchange/description.ts';
import { type Route, read, route, write } from '../exchange/route.ts';

const refusalsOfReviews = [
  ...refusalsOfReopening,
  'reviewer_identity_mismatch',
  'illegal_review_transition',
  'insufficient_storage',
] as const;

/** The routes of review intakes, decisions and revocations. */
export const publishReviewRoutes = (reviews: PublishReviews): readonly Route[] => [
  route('/v1/runtimes/:runtimeId/publish-review-intakes', {
    room: 'review',
    params: { runtimeId },
    GET: read({
      id: 'readPublishReviewIntakes',
      summary: 'the entry of a study in the review queue, or why it has none',
      answers: [json(200, publishReviewIntakes)],
      refusals: refusalsOfReopening,
      handle: async ({ params }) => ({ status: 200, body: await reviews.intakes(params.runtimeId) }),
    }),
  }),
  route('/v1/runtimes/:runtimeId/publish-review-decisions', {
    room: 'review',
    params: { runtimeId },
    checksQueryFirst: true,
    GET: read({
      id: 'readPublishReviews',
      summary: 'the reviews of a study, who may review, and the statements that a reviewer signs',
      answers: [json(200, publishReviewDecisions)],
      refusals: refusalsOfReopening,
      handle: async ({ params }) => ({ status: 200, body: await reviews.reviews(params.runtimeId) }),
    }),
    POST: write({
      id: 'decidePublishReview',
      summary: 'approve a queued study for captions, or reject it',
      details:
        '`plan` is the `digest` of `GET …/caption-plan`, as a person read it. The host derives the plan again, and records it beside the decision; captions follow it then. An approval without `plan` stays valid. After a restart of the host, read the plan again before you name it.',
      request: reviewDecisionRequest,
      invalid: 'invalid_review_request',
      answers: [json(201, publishReviewDecisions)],
      refusals: [
        ...refusalsOfReviews,
        'caption_plan_mismatch',
        'illegal_caption_transition',
        'caption_lines_unavailable',
        'permission_required',
        'engine_unavailable',
      ],
      handle: async ({ params, body }) => ({ status: 201, body: await reviews.decide(params.runtimeId, body) }),
    }),
  }),
  route('/v1/runtimes/:runtimeId/publish-review-revocations', {
    room: 'review',
    params: { runtimeId },
    POST: write({
      id: 'revokePublishReview',
      summary: 'revoke an approval, and stop what is being made under it',
      request: reviewRevocationRequest,
      invalid: 'invalid_review_request',
      answers: [json(201, publishReviewDecisions)],
      refusals: refusalsOfReviews,
      handle: async ({ params, body }) => ({ status: 201, body: await reviews.revoke(params.runtimeId, body) }),
    }),
  }),
];
