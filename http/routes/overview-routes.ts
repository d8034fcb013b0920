import type { Overviews } from '../../actors/overview/overviews.ts';
import { runtimeOverview } from '../../contract/overview/runtime-overview.ts';
import { runtimeId } from '../../contract/study/runtime-start.ts';
import { json } from '../exchange/description.ts';
import { type Route, read } from '../exchange/route.ts';
import { refusalsOfReopening } from './refusals.ts';

/** The route of a runtime as a whole. */
export const overviewRoutes = (overviews: Overviews): readonly Route[] => [
  {
    path: '/v1/runtimes/:runtimeId/overview',
    room: 'study',
    params: { runtimeId },
    GET: read({
      id: 'readOverview',
      summary: 'a study as a whole, from its ingest to its explanations, in words and numbers',
      details:
        'Says where it stands, what was found and claimed, what is withheld and why, and what may be done next, as requests with a template of their body. What a template leaves null and names in `fill` is the caller’s to give; the attestation of a review is a person’s. A part that is still to come is `not_yet`, one that cannot come any more is `never`, one that was decided against is `withheld` with its reason codes.',
      answers: [json(200, runtimeOverview)],
      refusals: refusalsOfReopening,
      handle: async ({ params }) => ({ status: 200, body: await overviews.of(params.runtimeId ?? '') }),
    }),
  },
];
