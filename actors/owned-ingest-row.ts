import { z } from 'zod';
import type { Ledger } from '../storage/ledger.ts';

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
export type OwnedIngestInput = z.infer<typeof ownedIngestInput>;

const revisionRow = z.strictObject({ revisionId: z.string() });
/** Where the revision that an ingest led to is kept. */
export const revisionKey = (ingestId: string): string => `ingest/${ingestId}/revision`;

/** The revision that an ingest led to; undefined before it is registered. */
export function revisionOf(ledger: Ledger, ingestId: string): string | undefined {
  const row = ledger.get('record', revisionKey(ingestId));
  return row === undefined ? undefined : revisionRow.parse(row).revisionId;
}
