import { z } from 'zod';
import { failure } from './base/errors.ts';
import { count, givenLine, positive, range, timestamp, wellFormedText } from './base/grammar.ts';
import { newestFirstFields } from './base/newest-first.ts';
import { ingestCause } from './causes/causes.ts';
import { sourceSessionRow } from './sources/source-session.ts';

export const ownedIngestId = z.string().regex(/^owned-ingest:[0-9a-f-]{36}$/);

/** Text that a person gives an ingest: nothing that a terminal, a shell or a path could misread. */
const ingestText = (maximum: number) =>
  givenLine(maximum).regex(/^(?!-)(?![/\\~])(?![A-Za-z]:\\)/, 'must not begin like an option or a path');

/** The fields of `POST /v1/owned-media-ingests`, in the order in which they are checked. */
export const ownedIngestFields = {
  filename: ingestText(255)
    .regex(/^[^/\\]*$/, 'must not hold a path')
    .regex(/\.[A-Za-z0-9]{1,10}$/, 'must end with an extension'),
  declaredBytes: z.number().int().min(1).max(Number.MAX_SAFE_INTEGER),
  rightsScope: z.literal('local_processing'),
  ownershipAttested: z.literal(true),
  label: ingestText(160),
  rightsHolder: ingestText(160),
};

export const ownedIngestRequest = z.strictObject(ownedIngestFields);

export type OwnedIngestRequest = z.infer<typeof ownedIngestRequest>;

export const ownedIngestStatus = z.strictObject({
  schema: z.literal('studio.owned-media-ingest.v1'),
  ingestId: ownedIngestId,
  status: z.enum(['queued', 'probing', 'sealing', 'registered', 'failed']),
  updatedAt: timestamp,
  source: sourceSessionRow.nullable(),
  failure: failure.nullable(),
});

export type OwnedIngestStatus = z.infer<typeof ownedIngestStatus>;

/** One ingest of the list: its status, and what it was opened with. */
export const ownedIngestRow = ownedIngestStatus.omit({ schema: true }).extend({
  openedAt: timestamp,
  filename: z.string(),
  declaredBytes: positive,
  label: z.string(),
  /** Why it failed, as data; null unless it did. */
  cause: ingestCause.nullable(),
});

/** The answer to `GET /v1/owned-media-ingests`. */
export const ownedIngests = z.strictObject({
  schema: z.literal('studio.owned-media-ingests.v1'),
  ingests: z.array(ownedIngestRow),
  ...newestFirstFields,
});

export type OwnedIngestRow = z.infer<typeof ownedIngestRow>;
export type OwnedIngestList = z.infer<typeof ownedIngests>;

export const videohostIngestId = z.string().regex(/^videohost-ingest:[0-9a-f-]{36}$/);

/** The longest address that is taken, in UTF-16 units. */
export const videohostUrlUnits = 2048;

/** The fields of `POST /v1/videohost-local-ingests`, in the order in which they are checked. */
export const videohostIngestFields = {
  localProcessingConfirmed: z.literal(true),
  startMs: count,
  endMs: positive,
  url: wellFormedText
    .min(1)
    .max(videohostUrlUnits)
    .refine((text) => text === text.trim(), 'must be trimmed'),
};

export const videohostIngestRequest = z.strictObject(videohostIngestFields);

export type VideohostIngestRequest = z.infer<typeof videohostIngestRequest>;

export const videohostIngestStatus = z.strictObject({
  schema: z.literal('studio.videohost-local-ingest.v1'),
  ingestId: videohostIngestId,
  status: z.enum(['queued', 'resolving', 'downloading', 'probing', 'sealing', 'registered', 'failed']),
  updatedAt: timestamp,
  source: sourceSessionRow.nullable(),
  failure: failure.nullable(),
});

export type VideohostIngestStatus = z.infer<typeof videohostIngestStatus>;

/** One ingest of the list: its status, and what it was opened with. */
export const videohostIngestRow = videohostIngestStatus.omit({ schema: true }).extend({
  openedAt: timestamp,
  url: z.string(),
  range,
  /** Why it failed, as data; null unless it did. */
  cause: ingestCause.nullable(),
});

/** The answer to `GET /v1/videohost-local-ingests`. */
export const videohostIngests = z.strictObject({
  schema: z.literal('studio.videohost-local-ingests.v1'),
  ingests: z.array(videohostIngestRow),
  ...newestFirstFields,
});

export type VideohostIngestRow = z.infer<typeof videohostIngestRow>;
export type VideohostIngestList = z.infer<typeof videohostIngests>;

const byteCount = z.string().regex(/^(0|[1-9]\d*)$/);

/** The fields of a request's head in tus 1.0.0, as far as this host reads them. */
export const tusFields = {
  'Tus-Resumable': z.literal('1.0.0').describe('The version of the protocol.'),
  'Upload-Length': byteCount.describe('The number of bytes of the file.'),
  'Upload-Metadata': z.string().describe('Pairs of a key and a Base64 value, with a space between, divided by commas.'),
  'Upload-Offset': byteCount.describe('Where in the file the body begins.'),
  'Upload-Checksum': z
    .string()
    .regex(/^(sha1|sha256) [A-Za-z0-9+/]+=*$/)
    .describe('An algorithm, a space, and the digest of the body in Base64.'),
};

/** The body of a request that has nothing to say beside its path: `{}`. */
export const noFields = z.strictObject({});
