import type { OwnedIngestInput } from '../../actors/ingest/owned/owned-ingest-row.ts';
import type { OwnedIngests } from '../../actors/ingest/owned/owned-ingests.ts';
import type { UploadPart } from '../../actors/ingest/owned/upload-part.ts';
import { ServiceError } from '../../contract/base/service-error.ts';
import { ownedIngestId, ownedIngestStatus } from '../../contract/ingest/owned-ingest.ts';
import { tusFields } from '../../contract/ingest/tus-fields.ts';
import { type Answer, jsonHeaders } from '../exchange/answer.ts';
import { empty, json } from '../exchange/description.ts';
import { type Call, type Endpoint, type Route, read } from '../exchange/route.ts';
import type { Exchange, Headers } from '../listener/listener.ts';
import { byteCount, partClaim, partType, tusProtocol } from './tus.ts';
import { ingestRequestOf, metadataOf } from './upload-metadata.ts';

const version = { 'Tus-Resumable': tusFields['Tus-Resumable'] };

/** The routes of uploads in parts, which speak tus 1.0.0. */
export const ownedUploadRoutes = (ingests: OwnedIngests): readonly Route[] => {
  const protocol = tusProtocol(() => ingests.maximumBytes);
  return [
    { path: '/v1/owned-media-uploads', room: 'ingest', protocol, POST: creation(ingests) },
    {
      path: '/v1/owned-media-ingests/:ingestId/upload',
      room: 'ingest',
      params: { ingestId: ownedIngestId },
      protocol,
      HEAD: standing(ingests),
      PATCH: part(ingests),
      DELETE: termination(ingests),
    },
  ];
};

const creation = (ingests: OwnedIngests): Endpoint =>
  read({
    id: 'createOwnedUpload',
    summary: 'open an ingest of a file, for clients that speak tus alone',
    details:
      'The same as `openOwnedIngest`: `Upload-Length` is `declaredBytes`, and `Upload-Metadata` holds `filename`, `label`, `rightsHolder`, `rightsScope` and `ownershipAttested` (`true`), each as UTF-8 in Base64. `Location` is where the bytes are sent.',
    headers: {
      ...version,
      'Upload-Length': tusFields['Upload-Length'],
      'Upload-Metadata': tusFields['Upload-Metadata'],
    },
    answers: [json(201, ownedIngestStatus, ['Location', 'Upload-Expires'])],
    refusals: [
      'invalid_ingest_request',
      'invalid_rights_attestation',
      'ingest_body_too_large',
      'insufficient_storage',
      'ingest_capacity',
      'ingest_identity_failed',
    ],
    handle: (call) => created(ingests, call),
  });

const standing = (ingests: OwnedIngests): Endpoint =>
  read({
    id: 'readOwnedUpload',
    summary: 'how much of the file has arrived',
    details: 'Bytes count once they are on disk: any later host goes on from `Upload-Offset`.',
    headers: version,
    answers: [empty(200, ['Upload-Offset', 'Upload-Length', 'Upload-Metadata', 'Upload-Expires'])],
    refusals: ['unknown_ingest', 'upload_gone', 'stored_content_inconsistent'],
    handle: async ({ params }) => {
      const { input, offset } = await ingests.uploadState(params.ingestId ?? '');
      const fields = { 'Upload-Length': String(input.declaredBytes), 'Upload-Metadata': metadataOf(input) };
      return nothing(200, { ...offsetFields(input, offset), ...fields });
    },
  });

const part = (ingests: OwnedIngests): Endpoint => ({
  body: 'stream',
  types: [partType],
  description: {
    id: 'sendOwnedUploadPart',
    summary: 'send the bytes of the file from an offset on',
    details:
      'Up to the end of the file or less, with a Content-Length or in chunks. The upload stands at `Upload-Offset` of the answer. A part that breaks off counts as far as it came, one with an `Upload-Checksum` only as a whole. A new part ends the one that is being sent. The last part is answered when the ingest has its media.',
    headers: {
      ...version,
      'Upload-Offset': tusFields['Upload-Offset'],
      'Upload-Checksum': tusFields['Upload-Checksum'],
    },
    answers: [empty(204, ['Upload-Offset', 'Upload-Expires'])],
    refusals: [
      'unknown_ingest',
      'upload_gone',
      'ingest_upload_conflict',
      'unsupported_content_encoding',
      'unsupported_content_type',
      'invalid_upload_offset',
      'invalid_upload_checksum',
      'invalid_upload_length',
      'upload_offset_conflict',
      'upload_superseded',
      'upload_checksum_mismatch',
      'insufficient_storage',
      'stored_content_inconsistent',
    ],
  },
  handle: ({ params, exchange }) => {
    const begun = ingests.beginPart(params.ingestId ?? '', partClaim(exchange.head));
    return taken(begun.part, begun.input, exchange);
  },
});

const termination = (ingests: OwnedIngests): Endpoint =>
  read({
    id: 'endOwnedUpload',
    summary: 'cancel the ingest and delete what has arrived',
    headers: version,
    answers: [empty(204)],
    refusals: ['unknown_ingest', 'upload_gone', 'ingest_already_terminal', 'stored_content_inconsistent'],
    handle: async ({ params }) => {
      await ingests.endUpload(params.ingestId ?? '');
      return nothing(204);
    },
  });

async function created(ingests: OwnedIngests, { client: { head } }: Call<null>): Promise<Answer<object>> {
  const request = ingestRequestOf(head.header('upload-metadata'), byteCount(head, 'upload-length'));
  const status = await ingests.open(request);
  const { input } = await ingests.uploadState(status.ingestId);
  const Location = `/v1/owned-media-ingests/${status.ingestId}/upload`;
  return { status: 201, body: status, headers: { ...jsonHeaders, Location, 'Upload-Expires': expiryOf(input) } };
}

async function taken(begun: UploadPart, input: OwnedIngestInput, exchange: Exchange): Promise<Answer> {
  // No client hears of it.
  exchange.onAbort(() => begun.stop(new ServiceError('invalid_upload_length', 'the part broke off')));
  exchange.readBody({ chunk: (bytes) => begun.chunk(bytes), end: () => begun.end() });
  begun.connect(exchange);
  return nothing(204, offsetFields(input, await begun.answered));
}

const expiryOf = ({ uploadDueAt }: OwnedIngestInput): string => new Date(uploadDueAt).toUTCString();

/** A whole upload does not expire. */
const offsetFields = (input: OwnedIngestInput, offset: number): Headers => ({
  'Upload-Offset': String(offset),
  ...(offset < input.declaredBytes ? { 'Upload-Expires': expiryOf(input) } : {}),
});

const nothing = (status: number, fields: Headers = {}): Answer => {
  const { 'Content-Type': _, ...headers } = jsonHeaders;
  return { status, body: Buffer.alloc(0), headers: { ...headers, ...fields } };
};
