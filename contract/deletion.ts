import { z } from 'zod';
import { count, givenLine, identity, sha256Hex, timestamp } from './base/grammar.ts';
import { listQuery, newestFirstFields } from './base/newest-first.ts';
import { commandId, runtimeId } from './study/start.ts';
import { lifecycle } from './study/status.ts';

/** How the person or program that deletes calls itself. */
export const operatorLabel = givenLine(160);

/** The query of a deletion. */
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
 * The rest of a deleted item: its names and its sizes, and nothing of its content. `receiptId` is derived from all but itself and
 * `schema`.
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

/** The names and sizes that the receipt of a deletion would have now. */
export const deletionPreview = z.strictObject({
  schema: z.literal('studio.deletion.preview.v1'),
  deleted: deletionReceipt.shape.deleted,
  erased: deletionReceipt.shape.erased,
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
export type DeletionPreview = z.infer<typeof deletionPreview>;
export type DeletionList = z.infer<typeof deletions>;

export const garbageCollectionRequest = z.strictObject({ dryRun: z.boolean() });

/**
 * The objects of a collection: objects that no record reaches, and old enough files in quarantine and leftovers of uploads and of
 * work.
 */
export const garbageKind = z.enum(['object', 'quarantine', 'inbox', 'work']);
export type GarbageKind = z.infer<typeof garbageKind>;

export const filesAndBytes = z.strictObject({ files: count, bytes: count });

/** The files that a collection removed, or would have removed if it was a dry run. */
export const garbageCollection = z.strictObject({
  schema: z.literal('studio.garbage-collection.v1'),
  dryRun: z.boolean(),
  collectedAt: timestamp,
  removed: z.record(garbageKind, filesAndBytes),
  /** The objects that no record reaches, and that are too young to remove: work under way may need them. */
  kept: z.record(garbageKind, filesAndBytes),
});

export type FilesAndBytes = z.infer<typeof filesAndBytes>;
export type GarbageCollection = z.infer<typeof garbageCollection>;

export const diskUseQuery = { limit: listQuery.limit };

/** The use of a runtime. Its evidence is kept for other studies of the source, and is deleted with that. */
export const runtimeDiskUse = z.strictObject({
  runtimeId,
  journal: z.strictObject({ events: count, bytes: count }),
  /** Records that nothing else names: they are removed with the runtime. */
  own: filesAndBytes,
  /** Records that other runtimes or sources name as well; the files of its source are none of them. */
  shared: filesAndBytes,
  evidence: filesAndBytes,
});

/** The use of a source. Files that are read in place from a directory are not in the data root, and do not count. */
export const sourceDiskUse = z.strictObject({
  sourceSessionId: identity,
  label: z.string(),
  /** Media of all its revisions. */
  media: filesAndBytes,
  /** Its records. */
  own: filesAndBytes,
  /** Media and records that other sources rest on as well. */
  shared: filesAndBytes,
  /** The findings of studies in its media, kept for further studies. */
  evidence: filesAndBytes,
  runtimes: count,
});

/** The answer to `GET /v1/disk-use`: at most `limit` sources and runtimes, the largest first, and the sums of all. */
export const diskUse = z.strictObject({
  schema: z.literal('studio.disk-use.v1'),
  measuredAt: timestamp,
  total: z.strictObject({
    bytes: count,
    freeBytes: count,
    objects: filesAndBytes,
    /** Objects that no record reaches. */
    unreached: filesAndBytes,
    ledger: filesAndBytes,
    quarantine: filesAndBytes,
    inbox: filesAndBytes,
    work: filesAndBytes,
  }),
  sources: z.array(sourceDiskUse),
  runtimes: z.array(runtimeDiskUse),
  /** How many there are beside those that are listed. */
  more: z.strictObject({ sources: count, runtimes: count }),
});

export type RuntimeDiskUse = z.infer<typeof runtimeDiskUse>;
export type SourceDiskUse = z.infer<typeof sourceDiskUse>;
export type DiskUse = z.infer<typeof diskUse>;
