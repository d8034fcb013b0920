import { z } from 'zod';

/** An ingest without media is given up after a day. */
export const uploadOpenMs = 24 * 60 * 60 * 1000;

/** What an ingest was opened with; `assertedAt` is UTC with milliseconds. */
export const ownedIngestInput = z.strictObject({
  ingestId: z.string(),
  uploadDueAt: z.number(),
  filename: z.string(),
  declaredBytes: z.number(),
  label: z.string(),
  rightsHolder: z.string(),
  assertedAt: z.string(),
});
export type OwnedIngestRowInput = z.infer<typeof ownedIngestInput>;
