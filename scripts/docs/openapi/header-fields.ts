import type { ErrorCode } from '../../../contract/base/error-codes.ts';
import type { Json } from './json.ts';

const text = (description: string, pattern?: string): Json => ({
  description,
  schema: { type: 'string', ...(pattern === undefined ? {} : { pattern }) },
});

/** Every field of an answer's head that a client may rely on, and what it says. */
export const headerFields = {
  'Cache-Control': text('Answers are private and are not stored.'),
  'X-Content-Type-Options': text('Always `nosniff`.'),
  'Access-Control-Allow-Origin': text('The origin of the request, where the host allows it.'),
  'Access-Control-Expose-Headers': text('The fields that pages of other origins may read.'),
  Vary: text('Stands with answers for an origin.'),
  'Studio-Journal-Head': text(
    'The head of the journal that the answer speaks of: the number of its last event and the digest of the chain up to it.',
    '^(0|[1-9]\\d*);sha256=[a-f0-9]{64}$',
  ),
  'Retry-After': text('The seconds after which the request may be granted.', '^[1-9]\\d*$'),
  'WWW-Authenticate': text('Always `Bearer`.'),
  'Accept-Ranges': text('Always `bytes`.'),
  'Content-Range': text('The part of the media that was sent, or its size where none can be.'),
  'Studio-Export-Of': text('The content ids of the receipts and evidence that a file was made of.'),
  ETag: text('The content id of the media or the file, in quotes.'),
  Pragma: text('Always `no-cache`.'),
} as const satisfies Readonly<Record<string, Json>>;

export type HeaderField = keyof typeof headerFields;

/** The fields of every answer; the last two only where the request has an allowed origin. */
export const fieldsOfAnswers = [
  'Cache-Control',
  'X-Content-Type-Options',
  'Access-Control-Allow-Origin',
  'Vary',
] as const satisfies HeaderField[];

/** The fields that a refusal carries beside these, by its code. */
export const fieldsOfRefusals: Readonly<Partial<Record<ErrorCode, readonly HeaderField[]>>> = {
  unauthorized: ['WWW-Authenticate'],
  study_queue_full: ['Retry-After', 'Access-Control-Expose-Headers'],
  storage_unavailable: ['Retry-After', 'Access-Control-Expose-Headers'],
  invalid_private_playback_range: ['Content-Range', 'Accept-Ranges'],
};

/** References to fields, for the head of an answer. */
export const headersOf = (fields: readonly HeaderField[]): Json =>
  Object.fromEntries([...new Set(fields)].map((name) => [name, { $ref: `#/components/headers/${name}` }]));
