import { z } from 'zod';
import type { Ledger } from '../../storage/ledger/ledger.ts';

const revisionRow = z.strictObject({ revisionId: z.string() });

/** Where the revision that an ingest led to is kept. */
export const revisionKey = (ingestId: string): string => `ingest/${ingestId}/revision`;

/** The revision that an ingest led to; undefined before it is registered. */
export function revisionOf(ledger: Ledger, ingestId: string): string | undefined {
  const row = ledger.get('record', revisionKey(ingestId));
  return row === undefined ? undefined : revisionRow.parse(row).revisionId;
}
