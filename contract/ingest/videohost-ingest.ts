import { z } from 'zod';
import { failure } from '../base/failure.ts';
import { count, positive, range, timestamp } from '../base/grammar.ts';
import { newestFirstFields } from '../base/newest-first.ts';
import { wellFormedText } from '../base/text.ts';
import { sourceSessionRow } from '../sources/source-session-list.ts';

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
});

/** The answer to `GET /v1/videohost-local-ingests`. */
export const videohostIngests = z.strictObject({
  schema: z.literal('studio.videohost-local-ingests.v1'),
  ingests: z.array(videohostIngestRow),
  ...newestFirstFields,
});

export type VideohostIngestRow = z.infer<typeof videohostIngestRow>;
export type VideohostIngestList = z.infer<typeof videohostIngests>;
