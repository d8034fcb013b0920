import { explanationRequest, languageExplanations } from '../../contract/explanations/explanation.ts';
import { runtimeId } from '../../contract/study/start.ts';
import { json, refusalsOfReopening } from '../../http/exchange/description.ts';
import { type Route, read, route, write } from '../../http/exchange/route.ts';
import { bodyInParts } from '../../http/exchange/sent-bodies.ts';
import type { LanguageExplanations } from './language-explanations.ts';

/** The route of explanations. */
export const languageExplanationRoutes = (explanations: LanguageExplanations): readonly Route[] => [
  route('/v1/runtimes/:runtimeId/language-explanations', {
    room: 'explanations',
    params: { runtimeId },
    checksQueryFirst: true,
    GET: read({
      id: 'readLanguageExplanations',
      summary: 'attempts at explanations of captions, and their results',
      answers: [json(200, languageExplanations)],
      refusals: refusalsOfReopening,
      handle: async ({ params }) => ({
        status: 200,
        body: bodyInParts(await explanations.list(params.runtimeId)),
      }),
    }),
    POST: write({
      id: 'explainLanguage',
      summary: 'have a selection in a caption line explained by the hosted model',
      details: 'The answer comes when the explanation is stored.',
      request: explanationRequest,
      invalid: 'invalid_language_explanation_request',
      answers: [json(201, languageExplanations)],
      refusals: [
        ...refusalsOfReopening,
        'language_explanation_unavailable',
        'language_explanation_caption_authority_required',
        'invalid_language_selection',
        'illegal_language_explanation_transition',
        'insufficient_storage',
        'language_explanation_executor_failed',
      ],
      handle: async ({ params, body }) => ({
        status: 201,
        body: bodyInParts(await explanations.explain(params.runtimeId, body)),
      }),
    }),
  }),
];
