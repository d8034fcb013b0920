import type { LanguageExplanations } from '../../actors/explanations/language-explanations.ts';
import { explanationRequest } from '../../contract/explanations/language-explanation.ts';
import { type Route, read, write } from '../exchange/route.ts';

/** The route of explanations. */
export const languageExplanationRoutes = (explanations: LanguageExplanations): readonly Route[] => [
  {
    path: '/v1/runtimes/:runtimeId/language-explanations',
    checksQueryFirst: true,
    methods: {
      GET: read(async ({ params }) => ({ status: 200, body: await explanations.list(params.runtimeId ?? '') })),
      POST: write(explanationRequest, 'invalid_language_explanation_request', async ({ params, body }) => {
        const runtimeId = params.runtimeId ?? '';
        await explanations.explain(runtimeId, body);
        return { status: 201, body: await explanations.list(runtimeId) };
      }),
    },
  },
];
