import { z } from 'zod';

export const ledgerSnapshotRequest = z.strictObject({});

/** A copy of the ledger as it was at one moment, for a backup of the data root. */
export const ledgerSnapshot = z.strictObject({
  schema: z.literal('studio.ledger-snapshot.v1'),
  /** Where it lies, from the data root. It is deleted by the next snapshot, and by the next start. */
  folder: z.string(),
  format: z.number().int(),
  /** Number of the newest batch in it. */
  commit: z.number().int(),
});

export type LedgerSnapshot = z.infer<typeof ledgerSnapshot>;
