import { engineCards, engineWork, engineWorkRequest } from '../../contract/engine-work.ts';
import { json } from '../../http/exchange/description.ts';
import { type Route, read, remove, route, write } from '../../http/exchange/route.ts';
import type { EngineWorks } from './engine-work.ts';

/** The routes of the engines of a host. */
export const engineRoutes = (works: EngineWorks): readonly Route[] => [
  route('/v1/engines', {
    room: 'operation',
    GET: read({
      id: 'listEngines',
      summary: 'the engines that are installed or in the catalogue, and the work on one',
      details: 'The speed of an engine that is not installed is an estimate.',
      answers: [json(200, engineCards)],
      refusals: [],
      handle: async () => ({ status: 200, body: await works.cards() }),
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
