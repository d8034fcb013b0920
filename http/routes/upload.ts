import type { OwnedIngestRowInput } from '../../actors/ingest/owned/owned-ingest-definition.ts';
import type { OwnedIngests } from '../../actors/ingest/owned/owned-ingests.ts';
import { type PartClaim, type UploadPart, wrongLength } from '../../actors/ingest/owned/upload-part.ts';
import { ServiceError } from '../../contract/base/errors.ts';
import { type OwnedIngestRequest, ownedIngestId, ownedIngestStatus, tusFields } from '../../contract/ingest.ts';
import { type Answer, jsonHeaders } from '../exchange/answer.ts';
import { empty, json } from '../exchange/description.ts';
import { declaredLength, expectPlain } from '../exchange/request-body.ts';
import { type Endpoint, type PathProtocol, type Route, read, route } from '../exchange/route.ts';
import type { BodySink, Exchange, Headers, RequestHead } from '../listener/listener.ts';
import { canonicalLength } from '../listener/message-head.ts';

/** The version of the tus resumable upload protocol (https://tus.io/protocols/resumable-upload). */
const tusVersion = '1.0.0';
/** The media type of the body of a part. */
const partType = 'application/offset+octet-stream';

const extensions = ['creation', 'creation-with-upload', 'expiration', 'checksum', 'termination'];
const algorithms = { sha1: 20, sha256: 32 } as const;
type Algorithm = keyof typeof algorithms;

const readableFields = [
  ...['Location', 'Upload-Offset', 'Upload-Length', 'Upload-Metadata', 'Upload-Expires'],
  ...['Tus-Resumable', 'Tus-Version', 'Tus-Extension', 'Tus-Max-Size', 'Tus-Checksum-Algorithm', 'Retry-After'],
];
const sendableFields = [
  ...['Authorization', 'Content-Type', 'Tus-Resumable', 'Upload-Offset', 'Upload-Length', 'Upload-Metadata'],
  ...['Upload-Checksum', 'X-HTTP-Method-Override', 'X-Request-ID'],
  // Refused in words. A page whose preflight fails sees none.
  ...['Upload-Concat', 'Upload-Defer-Length'],
];

/** The protocol of the paths of uploads in parts, for files of at most `maximumBytes()`. */
const tusProtocol = (maximumBytes: () => number): PathProtocol => ({
  fields: {
    'Tus-Resumable': tusVersion,
    'Access-Control-Expose-Headers': readableFields.join(', '),
  },
  discovery: () => ({
    'Tus-Version': tusVersion,
    'Tus-Extension': extensions.join(','),
    'Tus-Checksum-Algorithm': Object.keys(algorithms).join(','),
    'Tus-Max-Size': String(maximumBytes()),
    'Access-Control-Allow-Methods': 'POST, HEAD, PATCH, DELETE, OPTIONS',
    'Access-Control-Allow-Headers': sendableFields.join(', '),
    'Access-Control-Max-Age': '600',
  }),
  methodOf: (head) => {
    const named = head.method === 'POST' ? head.header('x-http-method-override') : undefined;
    return (named ?? head.method).toUpperCase();
  },
  check: (head) => {
    const given = head.header('tus-resumable');
    if (given !== tusVersion || head.count('tus-resumable') !== 1) {
      throw new ServiceError(
        'unsupported_tus_version',
        given === undefined ? 'the request names no version of tus' : 'this host speaks tus 1.0.0 and no other version',
        { 'Tus-Version': tusVersion },
      );
    }
    // A client that sends it takes each piece of a file for an upload of its own: each would become a source.
    if (head.header('upload-concat') === undefined) return;
    throw new ServiceError(
      'unsupported_tus_extension',
      'Upload-Concat is not supported: the pieces of a file that are sent at once are not joined, so nothing was taken',
    );
  },
});

/**
 * The claim in the head of a part. Throws `unsupported_content_encoding`, `unsupported_content_type`, `invalid_upload_offset`,
 * `invalid_upload_checksum`.
 */
function partClaim(head: RequestHead): PartClaim {
  expectPart(head);
  const offset = byteCount(head, 'upload-offset');
  if (offset === null) throw new ServiceError('invalid_upload_offset', 'Upload-Offset is not a number of bytes');
  return { offset, bytes: declaredLength(head), checksum: checksum(head) };
}

/** Throws `unsupported_content_encoding`, `unsupported_content_type`. */
function expectPart(head: RequestHead): void {
  expectPlain(head, 'the media');
  if (!isPartType(head)) throw new ServiceError('unsupported_content_type', `a part of an upload must be ${partType}`);
}

const isPartType = (head: RequestHead): boolean =>
  (head.header('content-type') ?? '').trim().toLowerCase() === partType;

/**
 * The claim in the head of a creation that has the first bytes of the file as its body; null if it has no body. Throws as
 * `partClaim` does, and `invalid_upload_length` for a body that is longer than the file.
 */
function firstPartClaim(head: RequestHead, uploadLength: number | null): PartClaim | null {
  const bytes = declaredLength(head);
  const hasBody = (bytes ?? 0) > 0 || head.header('transfer-encoding') !== undefined;
  if (!hasBody && !isPartType(head)) return null;
  expectPart(head);
  if ((byteCount(head, 'upload-offset') ?? 0) !== 0)
    throw new ServiceError('invalid_upload_offset', 'the body of a creation begins at offset 0');
  if (uploadLength !== null && (bytes ?? 0) > uploadLength) throw wrongLength();
  return { offset: 0, bytes, checksum: checksum(head) };
}

/** A field that is a number of bytes; null if it is missing, repeated or anything else. */
function byteCount(head: RequestHead, name: string): number | null {
  const text = head.header(name) ?? '';
  const value = Number(text);
  return canonicalLength.test(text) && Number.isSafeInteger(value) && head.count(name) === 1 ? value : null;
}

function checksum(head: RequestHead): PartClaim['checksum'] {
  const given = head.header('upload-checksum');
  if (given === undefined) return null;
  const [algorithm = '', text = ''] = given.split(' ', 2);
  const digest = Buffer.from(text, 'base64');
  const isDigest =
    isAlgorithm(algorithm) && digest.length === algorithms[algorithm] && digest.toString('base64') === text;
  if (isDigest && head.count('upload-checksum') === 1) return { algorithm, digest };
  throw new ServiceError(
    'invalid_upload_checksum',
    `Upload-Checksum is not the digest of one of ${Object.keys(algorithms).join(', ')} in Base64`,
  );
}

const isAlgorithm = (name: string): name is Algorithm => Object.hasOwn(algorithms, name);

/** The keys of `Upload-Metadata` that this host reads. Others, such as those that uploaders add by themselves, are left aside. */
const keys = ['filename', 'label', 'rightsHolder', 'rightsScope', 'ownershipAttested'] as const;

type Metadata = Partial<Record<string, string>>;

const refused = (message: string) => new ServiceError('invalid_ingest_request', message);

/**
 * The request for an ingest from the head of a tus creation, in the form of its JSON; the service checks its fields.
 * `uploadLength` is null if none can be read. Throws `invalid_ingest_request`.
 */
function ingestRequestOf(head: RequestHead, uploadLength: number | null): object {
  if (uploadLength === null || head.header('upload-defer-length') !== undefined) {
    throw refused('Upload-Length: must be the number of bytes of the file; a length that is sent later is not taken');
  }
  const { ownershipAttested, ...texts } = decoded(head.header('upload-metadata') ?? '');
  return {
    ...texts,
    declaredBytes: uploadLength,
    ...(ownershipAttested === undefined ? {} : { ownershipAttested: ownershipAttested === 'true' }),
  };
}

function decoded(text: string): Metadata {
  const values: Metadata = {};
  for (const pair of text === '' ? [] : text.split(',')) {
    const [key = '', value = ''] = pair.trim().split(' ', 2);
    if (Object.hasOwn(values, key)) throw refused(`Upload-Metadata: repeats ${key.slice(0, 80)}`);
    if (keys.some((known) => known === key)) values[key] = textOf(key, value);
  }
  return values;
}

function textOf(key: string, value: string): string {
  const bytes = Buffer.from(value, 'base64');
  try {
    if (bytes.toString('base64') === value)
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    // Not UTF-8: said below.
  }
  throw refused(`Upload-Metadata: ${key} must be UTF-8 in Base64`);
}

/** `Upload-Metadata` of an ingest that waits for its media. */
function metadataOf({
  filename,
  label,
  rightsHolder,
}: Pick<OwnedIngestRequest, 'filename' | 'label' | 'rightsHolder'>) {
  const values = { filename, label, rightsHolder, rightsScope: 'local_processing', ownershipAttested: 'true' };
  return Object.entries(values)
    .map(([key, value]) => `${key} ${Buffer.from(value, 'utf8').toString('base64')}`)
    .join(',');
}

const version = { 'Tus-Resumable': tusFields['Tus-Resumable'] };

/** The routes of uploads in parts, which speak tus 1.0.0. */
export const ownedUploadRoutes = (ingests: OwnedIngests): readonly Route[] => {
  const protocol = tusProtocol(() => ingests.maximumBytes);
  return [
    route('/v1/owned-media-uploads', { room: 'ingest', protocol, POST: creation(ingests) }),
    route('/v1/owned-media-ingests/:ingestId/upload', {
      room: 'ingest',
      params: { ingestId: ownedIngestId },
      protocol,
      HEAD: uploadOffset(ingests),
      PATCH: part(ingests),
      DELETE: termination(ingests),
    }),
  ];
};

const creation = (ingests: OwnedIngests): Endpoint<never> => ({
  body: 'stream',
  types: [partType],
  mayLackBody: true,
  description: {
    id: 'createOwnedUpload',
    summary: 'open an ingest of a file, for clients that speak tus alone',
    details:
      'The same as `openOwnedIngest`: `Upload-Length` is `declaredBytes`, and `Upload-Metadata` holds `filename`, `label`, `rightsHolder`, `rightsScope` and `ownershipAttested` (`true`), each as UTF-8 in Base64. `Location` is where the bytes are sent. The body may be the first part of the file: `Upload-Offset` of the answer is the number of its bytes that count, and the file continues there.',
    headers: {
      ...version,
      'Upload-Length': tusFields['Upload-Length'],
      'Upload-Metadata': tusFields['Upload-Metadata'],
    },
    answers: [json(201, ownedIngestStatus, ['Location', 'Upload-Expires', 'Upload-Offset'])],
    refusals: [
      'invalid_ingest_request',
      'unsupported_content_encoding',
      'unsupported_content_type',
      'invalid_upload_offset',
      'invalid_upload_length',
      'invalid_upload_checksum',
      'invalid_rights_attestation',
      'ingest_body_too_large',
      'insufficient_storage',
      'ingest_capacity',
      'ingest_identity_failed',
      'upload_gone',
    ],
  },
  handle: ({ exchange }) => created(ingests, exchange),
});

const uploadOffset = (ingests: OwnedIngests): Endpoint<'ingestId'> =>
  read({
    id: 'readOwnedUpload',
    summary: 'how much of the file has arrived',
    details: 'Bytes count once they are on disk: any later host continues from `Upload-Offset`.',
    headers: version,
    answers: [empty(200, ['Upload-Offset', 'Upload-Length', 'Upload-Metadata', 'Upload-Expires'])],
    refusals: ['unknown_ingest', 'upload_gone', 'stored_content_inconsistent'],
    handle: async ({ params }) => {
      const { input, offset } = await ingests.uploadState(params.ingestId);
      const fields = { 'Upload-Length': String(input.declaredBytes), 'Upload-Metadata': metadataOf(input) };
      return nothing(200, { ...offsetFields(input, offset), ...fields });
    },
  });

const part = (ingests: OwnedIngests): Endpoint<'ingestId'> => ({
  body: 'stream',
  types: [partType],
  description: {
    id: 'sendOwnedUploadPart',
    summary: 'send the bytes of the file from an offset on',
    details:
      'Up to the end of the file or less, with a Content-Length or in chunks. `Upload-Offset` of the answer is the new offset. A part that breaks off counts as far as it came, one with an `Upload-Checksum` only as a whole. A new part ends the one that is being sent. The last part is answered when the ingest has its media.',
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
  handle: async ({ params, exchange }) => {
    const { part, input } = ingests.beginPart(params.ingestId, partClaim(exchange.head));
    sendTo(part, exchange, (sink) => exchange.readBody(sink));
    return nothing(204, offsetFields(input, await part.answered));
  },
});

const termination = (ingests: OwnedIngests): Endpoint<'ingestId'> =>
  read({
    id: 'endOwnedUpload',
    summary: 'cancel the ingest and delete what has arrived',
    headers: version,
    answers: [empty(204)],
    refusals: ['unknown_ingest', 'upload_gone', 'ingest_already_terminal', 'stored_content_inconsistent'],
    handle: async ({ params }) => {
      await ingests.endUpload(params.ingestId);
      return nothing(204);
    },
  });

async function created(ingests: OwnedIngests, exchange: Exchange): Promise<Answer<object>> {
  const { head } = exchange;
  const uploadLength = byteCount(head, 'upload-length');
  const request = ingestRequestOf(head, uploadLength);
  const claim = firstPartClaim(head, uploadLength);
  const body = claim === null ? null : heldBody(exchange);
  const status = await ingests.open(request);
  const { ingestId } = status;
  const Location = `/v1/owned-media-ingests/${ingestId}/upload`;
  const { input } = await ingests.uploadState(ingestId);
  if (claim === null || body === null) {
    return { status: 201, body: status, headers: { ...jsonHeaders, Location, 'Upload-Expires': expiryOf(input) } };
  }
  const { part } = ingests.beginPart(ingestId, claim);
  sendTo(part, exchange, body);
  const offset = await part.answered.catch(async (error: unknown) => {
    // The ingest is there, and its client has to learn where. If it can still be sent, the offset is the number of bytes that count.
    const left = await ingests.uploadState(ingestId).catch(() => null);
    if (left === null || !(error instanceof ServiceError)) throw error;
    return left.offset;
  });
  const headers = { ...jsonHeaders, Location, ...offsetFields(input, offset) };
  return { status: 201, body: ingests.status(ingestId), headers };
}

/** Reads the body of an exchange now, and delivers it when its sink is known; until then it is paused. */
function heldBody(exchange: Exchange): (sink: BodySink) => void {
  const held: Buffer[] = [];
  let hasEnded = false;
  let known: BodySink | null = null;
  exchange.readBody({
    chunk: (bytes) => {
      if (known === null) held.push(bytes);
      else known.chunk(bytes);
    },
    end: () => {
      hasEnded = true;
      known?.end();
    },
  });
  exchange.pause();
  return (sink) => {
    known = sink;
    for (const bytes of held.splice(0)) sink.chunk(bytes);
    if (hasEnded) sink.end();
  };
}

/** Lets a body deliver the bytes of a part. */
export function sendTo(part: UploadPart, exchange: Exchange, body: (sink: BodySink) => void): void {
  // The client is gone and does not see it.
  exchange.onAbort(() => part.stop(new ServiceError('invalid_upload_length', 'the part broke off')));
  body({ chunk: (bytes) => part.chunk(bytes), end: () => part.end() });
  part.connect(exchange);
}

const expiryOf = ({ uploadDueAt }: OwnedIngestRowInput): string => new Date(uploadDueAt).toUTCString();

/** A whole upload does not expire. */
const offsetFields = (input: OwnedIngestRowInput, offset: number): Headers => ({
  'Upload-Offset': String(offset),
  ...(offset < input.declaredBytes ? { 'Upload-Expires': expiryOf(input) } : {}),
});

const nothing = (status: number, fields: Headers = {}): Answer => {
  const { 'Content-Type': _, ...headers } = jsonHeaders;
  return { status, body: Buffer.alloc(0), headers: { ...headers, ...fields } };
};
