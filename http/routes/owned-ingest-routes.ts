import { z } from 'zod';
import type { OwnedIngests } from '../../actors/ingest/owned/owned-ingests.ts';
import type { Upload } from '../../actors/ingest/owned/upload.ts';
import { ServiceError } from '../../contract/base/service-error.ts';
import type { Answer } from '../exchange/answer.ts';
import { declaredLength } from '../exchange/json-body.ts';
import { type Route, read, write } from '../exchange/route.ts';
import type { Exchange, RequestHead } from '../listener/listener.ts';

/** The routes of owned ingests. */
export const ownedIngestRoutes = (ingests: OwnedIngests): readonly Route[] => [
  {
    path: '/v1/owned-media-ingests',
    methods: {
      POST: write(z.unknown(), 'invalid_ingest_request', async ({ body }) => ({
        status: 202,
        body: await ingests.open(body),
      })),
    },
  },
  {
    path: '/v1/owned-media-ingests/:ingestId',
    methods: { GET: read(({ params }) => ({ status: 200, body: ingests.status(params.ingestId ?? '') })) },
  },
  {
    path: '/v1/owned-media-ingests/:ingestId/media',
    methods: {
      PUT: {
        body: 'stream',
        handle: ({ params, exchange }) => {
          const upload = ingests.beginUpload(params.ingestId ?? '', (declaredBytes) =>
            expectMedia(exchange.head, declaredBytes),
          );
          return receive(upload, exchange);
        },
      },
    },
  },
  {
    path: '/v1/owned-media-ingests/:ingestId/cancellations',
    methods: {
      POST: write(z.strictObject({}), 'invalid_ingest_request', async ({ params }) => ({
        status: 202,
        body: await ingests.cancel(params.ingestId ?? ''),
      })),
    },
  },
];

/** Checks the head of an upload; a chunked one has no length to compare. */
function expectMedia(head: RequestHead, declaredBytes: number): void {
  if ((head.header('content-encoding') ?? 'identity').toLowerCase() !== 'identity') {
    throw new ServiceError('unsupported_content_encoding', 'the media must be sent as it is');
  }
  const type = (head.header('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase();
  if (type !== 'application/octet-stream') {
    throw new ServiceError('unsupported_content_type', 'the media must be application/octet-stream');
  }
  const length = declaredLength(head);
  const isChunked = head.header('transfer-encoding') !== undefined;
  if (length === null ? !isChunked : length !== declaredBytes) {
    throw new ServiceError('invalid_upload_length', 'Content-Length is not the declared number of bytes');
  }
}

function receive(upload: Upload, exchange: Exchange): Promise<Answer> {
  return new Promise((resolve, reject) => {
    exchange.onAbort(() => {
      upload.abandon();
    });
    let isRefused = false;
    exchange.readBody({
      chunk: (bytes) => {
        if (isRefused) return;
        try {
          upload.chunk(bytes);
        } catch (error) {
          isRefused = true;
          // Answered once the claim is free: the client may send the media again at once.
          upload.abandon().then(() => reject(error));
        }
      },
      end: () => {
        if (isRefused) return;
        upload.end().then((status) => resolve({ status: 202, body: status }), reject);
      },
    });
    upload.connect(exchange);
  });
}
