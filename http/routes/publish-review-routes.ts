import type { PublishReviews } from '../../actors/review/publish-reviews.ts';
import { reviewDecisionRequest, reviewRevocationRequest } from '../../contract/review/publish-review.ts';
import { type Route, read, write } from '../exchange/route.ts';

/** The routes of review intakes, decisions and revocations. */
export const publishReviewRoutes = (reviews: PublishReviews): readonly Route[] => [
  {
    path: '/v1/runtimes/:runtimeId/publish-review-intakes',
    methods: {
      GET: read(async ({ params }) => ({ status: 200, body: await reviews.intakes(params.runtimeId ?? '') })),
    },
  },
  {
    path: '/v1/runtimes/:runtimeId/publish-review-decisions',
    checksQueryFirst: true,
    methods: {
      GET: read(async ({ params }) => ({ status: 200, body: await reviews.reviews(params.runtimeId ?? '') })),
      POST: write(reviewDecisionRequest, 'invalid_review_request', async ({ params, body }) => ({
        status: 201,
        body: await reviews.decide(params.runtimeId ?? '', body),
      })),
    },
  },
  {
    path: '/v1/runtimes/:runtimeId/publish-review-revocations',
    methods: {
      POST: write(reviewRevocationRequest, 'invalid_review_request', async ({ params, body }) => ({
        status: 201,
        body: await reviews.revoke(params.runtimeId ?? '', body),
      })),
    },
  },
];
