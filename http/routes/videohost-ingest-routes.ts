import { z } from 'zod';
import type { VideohostIngests } from '../../actors/ingest/videohost/videohost-ingests.ts';
import type { VideohostsOff } from '../../actors/ingest/videohost/videohost-service.ts';
import { type Route, read, write } from '../exchange/route.ts';

const base = '/v1/videohost-local-ingests';

/** The routes of video-host ingests; without a downloader all of them say why. */
export const videohostIngestRoutes = (ingests: VideohostIngests | VideohostsOff): readonly Route[] =>
  'whyOff' in ingests
    ? [base, `${base}/:ingestId`, `${base}/:ingestId/cancellations`].map((path) => ({
        path,
        methods: {},
        unavailable: { code: 'videohost_local_ingest_unavailable', message: `video hosts are off: ${ingests.whyOff}` },
      }))
    : routesTo(ingests);

const routesTo = (ingests: VideohostIngests): readonly Route[] => [
  {
    path: base,
    methods: {
      POST: write(z.unknown(), 'invalid_ingest_request', async ({ body }) => ({
        status: 202,
        body: await ingests.open(body),
      })),
    },
  },
  {
    path: `${base}/:ingestId`,
    methods: { GET: read(({ params }) => ({ status: 200, body: ingests.status(params.ingestId ?? '') })) },
  },
  {
    path: `${base}/:ingestId/cancellations`,
    methods: {
      POST: write(z.strictObject({}), 'invalid_ingest_request', async ({ params }) => ({
        status: 202,
        body: await ingests.cancel(params.ingestId ?? ''),
      })),
    },
  },
];
