import { z } from 'zod';
import { count, timestamp } from '../base/grammar.ts';

export const garbageCollectionRequest = z.strictObject({ dryRun: z.boolean() });

/**
 * What a collection removes: objects that no record reaches, files in quarantine and leftovers of uploads and of work that are old
 * enough.
 */
export const garbageKind = z.enum(['object', 'quarantine', 'inbox', 'work']);
export type GarbageKind = z.infer<typeof garbageKind>;

export const filesAndBytes = z.strictObject({ files: count, bytes: count });

/** What a collection removed, or would have removed if it was a dry run. */
export const garbageCollection = z.strictObject({
  schema: z.literal('studio.garbage-collection.v1'),
  dryRun: z.boolean(),
  collectedAt: timestamp,
  removed: z.record(garbageKind, filesAndBytes),
  /** What no record reaches, and what is too young to go: work under way may need it. */
  kept: z.record(garbageKind, filesAndBytes),
});

export type FilesAndBytes = z.infer<typeof filesAndBytes>;
export type GarbageCollection = z.infer<typeof garbageCollection>;
