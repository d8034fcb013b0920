import { z } from 'zod';
import { count, identity, sha256Hex, timestamp } from '../base/grammar.ts';
import { listQuery, newestFirstFields } from '../base/newest-first.ts';
import { givenLine } from '../base/text.ts';
import { commandId, runtimeId } from '../study/runtime-start.ts';
import { lifecycle } from '../study/runtime-status.ts';

/** How the person or program that deletes calls itself. */
export const operatorLabel = givenLine(160);

/** What the request of a deletion may say. */
export const deletionQuery = { operator: operatorLabel.optional().describe('who deletes, as the receipt states it') };

/** A runtime that was deleted. What its rows no longer said is null. */
export const deletedRuntime = z.strictObject({
  kind: z.literal('runtime'),
  runtimeId,
  commandId: commandId.nullable(),
  sourceSessionId: identity.nullable(),
  sourceRevisionId: identity.nullable(),
  lifecycle: lifecycle.nullable(),
  /** The head of its journal, and the digest of its chain there. */
  journalHead: z.strictObject({ seq: count, sha256: sha256Hex }).nullable(),
});

/** A source that was deleted: its revisions, and the ingests that had made them. */
export const deletedSource = z.strictObject({
  kind: z.literal('source'),
  sourceSessionId: identity,
  sourceRevisionIds: z.array(identity),
  ingestIds: z.array(identity),
});

/**
 * What stays of a thing that was deleted: its names and what it measured, and nothing that it held. `receiptId` is derived from
 * all but itself and `schema`.
 */
export const deletionReceipt = z.strictObject({
  schema: z.literal('studio.deletion.receipt.v1'),
  receiptId: z.string().regex(/^deletion-receipt:[a-f0-9]{64}$/),
  deleted: z.discriminatedUnion('kind', [deletedRuntime, deletedSource]),
  deletedAt: timestamp,
  operator: operatorLabel.nullable(),
  erased: z.strictObject({
    /** Rows of the ledger. */
    rows: count,
    events: count,
    eventBytes: count,
    /** The objects that its records named, those of its source left out. What others name as well stays on disk. */
    objects: count,
    objectBytes: count,
  }),
});

/** The answer to `GET /v1/deletions`. */
export const deletions = z.strictObject({
  schema: z.literal('studio.deletions.v1'),
  deletions: z.array(deletionReceipt),
  ...newestFirstFields,
});

export const deletionsQuery = listQuery;

export type DeletedRuntime = z.infer<typeof deletedRuntime>;
export type DeletedSource = z.infer<typeof deletedSource>;
export type DeletionReceipt = z.infer<typeof deletionReceipt>;
export type DeletionList = z.infer<typeof deletions>;
