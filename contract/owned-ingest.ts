import { z } from 'zod';
import { failure } from './failure.ts';
import { timestamp } from './grammar.ts';
import { sourceSessionRow } from './source-session-list.ts';

export const ownedIngestId = z.string().regex(/^owned-ingest:[0-9a-f-]{36}$/);

/** Text that a person gives an ingest: nothing that a terminal, a shell or a path could misread. */
const ingestText = (maximum: number) =>
  z
    .string()
    .min(1)
    .max(maximum)
    .refine((text) => text === text.trim(), 'must be trimmed')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
    .regex(/^[^\u0000-\u001f\u007f]*$/, 'must not hold control characters')
    .regex(/^(?!-)(?![/\\~])(?![A-Za-z]:\\)/, 'must not begin like an option or a path');

export const filename = ingestText(255)
  .regex(/^[^/\\]*$/, 'must not hold a path')
  .regex(/\.[A-Za-z0-9]{1,10}$/, 'must end with an extension');
export const ingestLabel = ingestText(160);

/** The body of `POST /v1/owned-media-ingests`, apart from the rights, which have a refusal of their own. */
export const ownedIngestRequest = z.strictObject({
  filename,
  declaredBytes: z.number().int().min(1).max(Number.MAX_SAFE_INTEGER),
  rightsScope: z.unknown(),
  ownershipAttested: z.unknown(),
  label: ingestLabel,
  rightsHolder: ingestLabel,
});

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
