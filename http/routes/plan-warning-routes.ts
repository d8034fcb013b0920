import type { PlanWarnings } from '../../actors/study/plan-warnings.ts';
import { planWarnings } from '../../contract/study/plan-warnings.ts';
import { runtimeRequest } from '../../contract/study/runtime-request.ts';
import { json } from '../exchange/description.ts';
import { type Route, write } from '../exchange/route.ts';
import { refusalsOfRequests } from './refusals.ts';

/** The route of warnings, beside that of plans, whose answer has no room for them. */
export const planWarningRoutes = (warnings: PlanWarnings): readonly Route[] => [
  {
    path: '/v1/runtime-plan-warnings',
    room: 'study',
    POST: write({
      id: 'warnOfStudy',
      summary: 'what is known before a study that a person would rather know now',
      details:
        'Takes the body of a plan. Nothing is stored or measured, and a study with warnings can be started all the same.',
      request: runtimeRequest,
      invalid: 'invalid_start_request',
      answers: [json(200, planWarnings)],
      refusals: refusalsOfRequests,
      handle: async ({ body }) => ({ status: 200, body: await warnings.of(body) }),
    }),
  },
];
