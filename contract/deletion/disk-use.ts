import { z } from 'zod';
import { count, identity, timestamp } from '../base/grammar.ts';
import { listQuery } from '../base/newest-first.ts';
import { runtimeId } from '../study/runtime-start.ts';
import { filesAndBytes } from './garbage-collection.ts';

export const diskUseQuery = { limit: listQuery.limit };

/** What a runtime takes. Its evidence is kept for other studies of the source, and goes with that. */
export const runtimeDiskUse = z.strictObject({
  runtimeId,
  journal: z.strictObject({ events: count, bytes: count }),
  /** Records that nothing else names: they go with the runtime. */
  own: filesAndBytes,
  /** Records that other runtimes or sources name as well; the files of its source are none of them. */
  shared: filesAndBytes,
  evidence: filesAndBytes,
});

/** What a source takes. Files that are read in place from a directory are not in the data root, and do not count. */
export const sourceDiskUse = z.strictObject({
  sourceSessionId: identity,
  label: z.string(),
  /** Media of all its revisions. */
  media: filesAndBytes,
  /** Its records. */
  own: filesAndBytes,
  /** Media and records that other sources rest on as well. */
  shared: filesAndBytes,
  /** What studies found in its media, kept for further studies. */
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
