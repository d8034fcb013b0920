import { z } from 'zod';
import { failure } from '../base/failure.ts';
import { positive, timestamp } from '../base/grammar.ts';
import { newestFirstFields } from '../base/newest-first.ts';
import { givenLine } from '../base/text.ts';
import { sourceSessionRow } from '../sources/source-session-list.ts';

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
});

/** The answer to `GET /v1/owned-media-ingests`. */
export const ownedIngests = z.strictObject({
  schema: z.literal('studio.owned-media-ingests.v1'),
  ingests: z.array(ownedIngestRow),
  ...newestFirstFields,
});

export type OwnedIngestRow = z.infer<typeof ownedIngestRow>;
export type OwnedIngestList = z.infer<typeof ownedIngests>;
