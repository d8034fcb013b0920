import type { ProgressBoard } from '../../actors/supervision/progress-board.ts';
import { listQuery } from '../../contract/base/newest-first.ts';
import {
  noFields,
  videohostIngestId,
  videohostIngestRequest,
  videohostIngestStatus,
  videohostIngests,
} from '../../contract/ingest.ts';
import { json } from '../../http/exchange/description.ts';
import { type Route, read, route, submit, write } from '../../http/exchange/route.ts';
import { pageOf } from '../../http/exchange/target.ts';
import { ingestProgressRoute } from '../../http/routes/events.ts';
import { type VideohostIngests, type VideohostsOff, videohostsOff } from './ingests.ts';

const base = '/v1/videohost-local-ingests';
const off = 'videohost_local_ingest_unavailable';

/** The routes of ingests from video hosts; without a downloader they say why, except for the progress of what had begun before. */
export const videohostIngestRoutes = (
  ingests: VideohostIngests | VideohostsOff,
  progress: ProgressBoard,
): readonly Route[] => [
  ...('whyOff' in ingests ? routesSaying(ingests) : routesTo(ingests)),
  ingestProgressRoute(progress, {
    ingests: base,
    id: 'readVideohostIngestProgress',
    ingestId: videohostIngestId,
    kind: 'videohost-ingest',
  }),
];

const routesSaying = (why: VideohostsOff): readonly Route[] =>
  [base, `${base}/:ingestId`, `${base}/:ingestId/cancellations`].map((path) => ({
    path,
    room: 'ingest',
    unavailable: videohostsOff(why),
  }));

const routesTo = (ingests: VideohostIngests): readonly Route[] => [
  route(base, {
    room: 'ingest',
    GET: read({
      id: 'listVideohostIngests',
      summary: 'the ingests from video hosts, newest first',
      query: listQuery,
      answers: [json(200, videohostIngests)],
      refusals: [off, 'invalid_cursor', 'invalid_limit'],
      handle: async ({ query }) => ({ status: 200, body: await ingests.list(pageOf(query)) }),
    }),
    POST: submit({
      id: 'openVideohostIngest',
      summary: 'open an ingest of a range from a video host',
      request: videohostIngestRequest,
      invalid: 'invalid_ingest_request',
      answers: [json(202, videohostIngestStatus)],
      refusals: [
        off,
        'invalid_rights_attestation',
        'ingest_range_too_large',
        'insufficient_storage',
        'ingest_capacity',
        'ingest_identity_failed',
      ],
      handle: async ({ body }) => ({ status: 202, body: await ingests.open(body) }),
    }),
  }),
  route(`${base}/:ingestId`, {
    room: 'ingest',
    params: { ingestId: videohostIngestId },
    GET: read({
      id: 'readVideohostIngest',
      summary: 'the status of an ingest from a video host',
      details: 'It has ended when `status` is `registered` or `failed`.',
      answers: [json(200, videohostIngestStatus)],
      refusals: [off, 'unknown_ingest', 'source_deleted', 'stored_content_inconsistent'],
      handle: ({ params }) => ({ status: 200, body: ingests.status(params.ingestId) }),
    }),
  }),
  route(`${base}/:ingestId/cancellations`, {
    room: 'ingest',
    params: { ingestId: videohostIngestId },
    POST: write({
      id: 'cancelVideohostIngest',
      summary: 'cancel an ingest from a video host',
      request: noFields,
      invalid: 'invalid_ingest_request',
      answers: [json(202, videohostIngestStatus)],
      refusals: [off, 'unknown_ingest', 'source_deleted', 'ingest_already_terminal', 'stored_content_inconsistent'],
      handle: async ({ params }) => ({ status: 202, body: await ingests.cancel(params.ingestId) }),
    }),
  }),
];
