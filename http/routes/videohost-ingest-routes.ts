import type { VideohostIngests } from '../../actors/ingest/videohost/videohost-ingests.ts';
import type { VideohostsOff } from '../../actors/ingest/videohost/videohost-service.ts';
import { listQuery } from '../../contract/base/newest-first.ts';
import { noFields } from '../../contract/ingest/no-fields.ts';
import {
  videohostIngestId,
  videohostIngestRequest,
  videohostIngestStatus,
  videohostIngests,
} from '../../contract/ingest/videohost-ingest.ts';
import { json } from '../exchange/description.ts';
import { pageOf } from '../exchange/query-values.ts';
import { type Route, read, submit, write } from '../exchange/route.ts';

const base = '/v1/videohost-local-ingests';
const off = 'videohost_local_ingest_unavailable';

/** The routes of video-host ingests; without a downloader all of them say why. */
export const videohostIngestRoutes = (ingests: VideohostIngests | VideohostsOff): readonly Route[] =>
  'whyOff' in ingests
    ? [base, `${base}/:ingestId`, `${base}/:ingestId/cancellations`].map((path) => ({
        path,
        room: 'ingest',
        unavailable: { code: off, message: `video hosts are off: ${ingests.whyOff}` },
      }))
    : routesTo(ingests);

const routesTo = (ingests: VideohostIngests): readonly Route[] => [
  {
    path: base,
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
  },
  {
    path: `${base}/:ingestId`,
    room: 'ingest',
    params: { ingestId: videohostIngestId },
    GET: read({
      id: 'readVideohostIngest',
      summary: 'the status of an ingest from a video host',
      details: 'It has ended when `status` is `registered` or `failed`.',
      answers: [json(200, videohostIngestStatus)],
      refusals: [off, 'unknown_ingest', 'source_deleted', 'stored_content_inconsistent'],
      handle: ({ params }) => ({ status: 200, body: ingests.status(params.ingestId ?? '') }),
    }),
  },
  {
    path: `${base}/:ingestId/cancellations`,
    room: 'ingest',
    params: { ingestId: videohostIngestId },
    POST: write({
      id: 'cancelVideohostIngest',
      summary: 'cancel an ingest from a video host',
      request: noFields,
      invalid: 'invalid_ingest_request',
      answers: [json(202, videohostIngestStatus)],
      refusals: [off, 'unknown_ingest', 'source_deleted', 'ingest_already_terminal', 'stored_content_inconsistent'],
      handle: async ({ params }) => ({ status: 202, body: await ingests.cancel(params.ingestId ?? '') }),
    }),
  },
];
