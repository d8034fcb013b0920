import { ServiceError } from '../../contract/base/errors.ts';
import { languageTag } from '../../contract/base/grammar.ts';
import { engineCards, engineWork, engineWorkRequest } from '../../contract/engine-work.ts';
import { json } from '../../http/exchange/description.ts';
import { type Call, type Route, read, remove, route, write } from '../../http/exchange/route.ts';
import { baseLanguage } from '../../rules/languages.ts';
import type { EngineWorks } from './engine-work.ts';

/** The base code of the asked language; English for none. Throws `unknown_query` for what is no tag of a language. */
function languageAsked({ query }: Pick<Call<null>, 'query'>): string {
  const tag = languageTag.safeParse(query.get('language') ?? 'en');
  const base = tag.success ? baseLanguage(tag.data) : null;
  if (base !== null) return base;
  throw new ServiceError('unknown_query', 'language is the tag of a language, such as es');
}

/** The routes of the engines of a host. */
export const engineRoutes = (works: EngineWorks): readonly Route[] => [
  route('/v1/engines', {
    room: 'operation',
    GET: read({
      id: 'listEngines',
      summary: 'the engines that are installed or in the catalogue, and the work on one',
      details: 'The speed of an engine that is not installed is an estimate.',
      query: {
        language: languageTag.optional().describe('the spoken language that `recommended` is for; by default English'),
      },
      answers: [json(200, engineCards)],
      refusals: [],
      handle: async (call) => ({ status: 200, body: await works.cards(languageAsked(call)) }),
    }),
  }),
  route('/v1/engines/work', {
    room: 'operation',
    access: 'token-and-origin',
    POST: write({
      id: 'beginEngineWork',
      summary: 'add an engine of the catalogue, or try or use one that is installed',
      details:
        'The host starts `media-study engines`, which fetches, checks and tries; `GET /v1/engines` has its progress. A host does one work at a time. Programs, files and servers are named on the command line alone.',
      request: engineWorkRequest,
      invalid: 'invalid_engine_work_request',
      answers: [json(202, engineWork)],
      refusals: ['unknown_engine', 'engine_work_running'],
      handle: async ({ body }) => ({ status: 202, body: await works.begin(body) }),
    }),
    DELETE: remove({
      id: 'stopEngineWork',
      summary: 'end the work on an engine',
      details: 'What it fetched stays, and the same request continues it. Without work it changes nothing.',
      answers: [json(200, engineCards)],
      refusals: [],
      handle: async () => {
        await works.stop();
        return { status: 200, body: await works.cards() };
      },
    }),
  }),
];
