import type { OwnedIngests } from '../../actors/ingest/owned/owned-ingests.ts';
import { ServiceError } from '../../contract/base/errors.ts';
import { listQuery } from '../../contract/base/newest-first.ts';
import { noFields, ownedIngestId, ownedIngestRequest, ownedIngestStatus, ownedIngests } from '../../contract/ingest.ts';
import { json } from '../exchange/description.ts';
import { bytesType, declaredLength, expectBytes } from '../exchange/request-body.ts';
import { type Route, read, route, submit, write } from '../exchange/route.ts';
import { pageOf } from '../exchange/target.ts';
import type { RequestHead } from '../listener/listener.ts';
import { sendTo } from './upload.ts';

/** The routes of owned ingests. */
export const ownedIngestRoutes = (ingests: OwnedIngests): readonly Route[] => [
  route('/v1/owned-media-ingests', {
    room: 'ingest',
    GET: read({
      id: 'listOwnedIngests',
      summary: 'the ingests of files, newest first',
      query: listQuery,
      answers: [json(200, ownedIngests)],
      refusals: ['invalid_cursor', 'invalid_limit'],
      handle: async ({ query }) => ({ status: 200, body: await ingests.list(pageOf(query)) }),
    }),
    POST: submit({
      id: 'openOwnedIngest',
      summary: 'open an ingest of a file',
      request: ownedIngestRequest,
      invalid: 'invalid_ingest_request',
      answers: [json(202, ownedIngestStatus)],
      refusals: [
        'invalid_rights_attestation',
        'ingest_body_too_large',
        'insufficient_storage',
        'ingest_capacity',
        'ingest_identity_failed',
      ],
      handle: async ({ body }) => ({ status: 202, body: await ingests.open(body) }),
    }),
  }),
  route('/v1/owned-media-ingests/:ingestId', {
    room: 'ingest',
    params: { ingestId: ownedIngestId },
    GET: read({
      id: 'readOwnedIngest',
      summary: 'the status of an ingest',
      details: 'It has ended when `status` is `registered` or `failed`.',
      answers: [json(200, ownedIngestStatus)],
      refusals: ['unknown_ingest', 'source_deleted', 'stored_content_inconsistent'],
      handle: ({ params }) => ({ status: 200, body: ingests.status(params.ingestId) }),
    }),
  }),
  route('/v1/owned-media-ingests/:ingestId/media', {
    room: 'ingest',
    params: { ingestId: ownedIngestId },
    PUT: {
      body: 'stream',
      types: [bytesType],
      description: {
        id: 'sendOwnedMedia',
        summary: 'send the bytes of the file',
        details: 'Exactly the declared number of bytes, with a Content-Length or in chunks.',
        answers: [json(202, ownedIngestStatus)],
        refusals: [
          'unknown_ingest',
          'source_deleted',
          'ingest_upload_conflict',
          'unsupported_content_encoding',
          'unsupported_content_type',
          'invalid_upload_length',
          'insufficient_storage',
          'stored_content_inconsistent',
        ],
      },
      handle: async ({ params, exchange }) => {
        const { part, answered } = ingests.beginUpload(params.ingestId, (declaredBytes) =>
          expectMedia(exchange.head, declaredBytes),
        );
        sendTo(part, exchange, (sink) => exchange.readBody(sink));
        return { status: 202, body: await answered };
      },
    },
  }),
  route('/v1/owned-media-ingests/:ingestId/cancellations', {
    room: 'ingest',
    params: { ingestId: ownedIngestId },
    POST: write({
      id: 'cancelOwnedIngest',
      summary: 'cancel an ingest',
      request: noFields,
      invalid: 'invalid_ingest_request',
      answers: [json(202, ownedIngestStatus)],
      refusals: ['unknown_ingest', 'source_deleted', 'ingest_already_terminal', 'stored_content_inconsistent'],
      handle: async ({ params }) => ({ status: 202, body: await ingests.cancel(params.ingestId) }),
    }),
  }),
];

/** Checks the head of an upload; a chunked one has no length to compare. A range of the file counts only if it is the whole. */
function expectMedia(head: RequestHead, declaredBytes: number): void {
  expectBytes(head, 'the media');
  const range = head.header('content-range');
  if (range !== undefined && range.trim().toLowerCase() !== `bytes 0-${declaredBytes - 1}/${declaredBytes}`) {
    throw new ServiceError(
      'invalid_upload_length',
      'Content-Range names a part of the file, and this path takes it whole: send parts by tus to …/upload',
    );
  }
  const length = declaredLength(head);
  const isChunked = head.header('transfer-encoding') !== undefined;
  if (length === null ? !isChunked : length !== declaredBytes) {
    throw new ServiceError('invalid_upload_length', 'Content-Length is not the declared number of bytes');
  }
}
