import type { ErrorCode } from '../../../contract/base/errors.ts';
import type { Json } from './json.ts';

const text = (description: string, pattern?: string): Json => ({
  description,
  schema: { type: 'string', ...(pattern === undefined ? {} : { pattern }) },
});

/** Every field of an answer's head that a client may rely on, and what it says. */
export const headerFields = {
  'Cache-Control': text('Answers are private and are not stored.'),
  'X-Content-Type-Options': text('Always `nosniff`.'),
  'Access-Control-Allow-Origin': text('The origin of the request, if the host allows it.'),
  'Access-Control-Expose-Headers': text('The fields that pages of other origins may read.'),
  Vary: text('The fields of the request on which the answer depends.'),
  'X-Request-ID': text(
    'Names the request, also in the log of the host: the id that the client gave in this field, or a new one.',
    '^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$',
  ),
  'Studio-Journal-Head': text(
    'The head of the journal that the answer speaks of: the number of its last event and the digest of the chain up to it.',
    '^(0|[1-9]\\d*);sha256=[a-f0-9]{64}$',
  ),
  'Retry-After': text('The seconds after which the request may be granted.', '^[1-9]\\d*$'),
  'WWW-Authenticate': text('Always `Bearer`.'),
  'Accept-Ranges': text('Always `bytes`.'),
  'Content-Range': text('The range of the media in this answer, or only the size if the range is invalid.'),
  'Studio-Export-Of': text('The content ids of the receipts and evidence that a file was made of.'),
  ETag: text('The content id of the media or the file, in quotes; of a bundle, that of its signed envelope.'),
  Pragma: text('Always `no-cache`.'),
  Location: text('The path to which the bytes of the file are sent.'),
  'Upload-Offset': text('How many bytes of the file are on disk.', '^(0|[1-9]\\d*)$'),
  'Upload-Length': text('How many bytes the file has.', '^[1-9]\\d*$'),
  'Upload-Metadata': text('What the ingest was opened with, as pairs of a key and a Base64 value.'),
  'Upload-Expires': text('When an upload that is not whole by then is given up, as a date of HTTP.'),
  'Tus-Resumable': text('Always `1.0.0`.'),
  'Tus-Version': text('The versions of tus that this host speaks: `1.0.0`.'),
} as const satisfies Readonly<Record<string, Json>>;

export type HeaderField = keyof typeof headerFields;

/** The fields of every answer; the last three only if the request has an allowed origin. */
export const fieldsOfAnswers = [
  'Cache-Control',
  'X-Content-Type-Options',
  'X-Request-ID',
  'Access-Control-Allow-Origin',
  'Access-Control-Expose-Headers',
  'Vary',
] as const satisfies HeaderField[];

/** The fields that a refusal carries beside these, by its code. */
export const fieldsOfRefusals: Readonly<Partial<Record<ErrorCode, readonly HeaderField[]>>> = {
  unauthorized: ['WWW-Authenticate'],
  upload_offset_conflict: ['Upload-Offset'],
  unsupported_tus_version: ['Tus-Version'],
  study_queue_full: ['Retry-After', 'Access-Control-Expose-Headers'],
  storage_unavailable: ['Retry-After', 'Access-Control-Expose-Headers'],
  invalid_private_playback_range: ['Content-Range', 'Accept-Ranges'],
};

/** The fields that every answer of a path with a protocol of its own carries beside these. */
export const fieldsOfProtocol: readonly HeaderField[] = ['Tus-Resumable', 'Access-Control-Expose-Headers'];

/** References to fields, for the head of an answer. */
export const headersOf = (fields: readonly HeaderField[]): Json =>
  Object.fromEntries([...new Set(fields)].map((name) => [name, { $ref: `#/components/headers/${name}` }]));
