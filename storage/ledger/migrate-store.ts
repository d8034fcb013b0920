import { dirname } from 'node:path';
import type { ClassicLevel } from 'classic-level';
import { z } from 'zod';
import { announceFormat, storeFormat } from '../objects/data-root.ts';
import type { RowChange } from './committer.ts';
import { formatRow, indexKey, nameOf, rowKey, rowRange } from './keys.ts';
import type { Space } from './ledger.ts';
import { decodeOrMark, encodeRow } from './row-codec.ts';

const pageRows = 256;

// The rows as format 2 has them. One without a time is damaged, and comes last.
const study = z.object({
  record: z.object({ startedAt: z.string(), sourceSession: z.object({ sessionId: z.string() }) }),
});
const ownedIngest = z.object({ input: z.object({ assertedAt: z.string() }) });
const videohostIngest = z.object({ input: z.object({ confirmedAt: z.string() }) });

const at = (text: string | undefined): number => (text === undefined ? 0 : Date.parse(text) || 0);

function studyKeys(key: string, row: unknown): string[] {
  const runtimeId = key.slice('study/'.length);
  // The rows of the steps of a study are below its own.
  if (runtimeId.includes('/')) return [];
  const { data } = study.safeParse(row);
  const startedAt = at(data?.record.startedAt);
  const session = data?.record.sourceSession.sessionId;
  return [
    indexKey('runtime', startedAt, runtimeId),
    ...(session === undefined ? [] : [indexKey(`session/${session}`, startedAt, runtimeId)]),
  ];
}

const ownedKeys = (key: string, row: unknown): string[] => [
  indexKey('owned-ingest', at(ownedIngest.safeParse(row).data?.input.assertedAt), key),
];

const videohostKeys = (key: string, row: unknown): string[] => [
  indexKey('videohost-ingest', at(videohostIngest.safeParse(row).data?.input.confirmedAt), key),
];

/** Their rows have no time of beginning, so they come last. */
const jobKeys =
  (kind: string) =>
  (key: string): string[] => [indexKey(kind, 0, key)];

interface Indexing {
  readonly space: Space;
  readonly prefix: string;
  keysOf(key: string, row: unknown): string[];
}

const indexings: readonly Indexing[] = [
  { space: 'record', prefix: 'study/', keysOf: studyKeys },
  { space: 'snapshot', prefix: 'owned-ingest:', keysOf: ownedKeys },
  { space: 'snapshot', prefix: 'videohost-ingest:', keysOf: videohostKeys },
  { space: 'snapshot', prefix: 'caption-production:', keysOf: jobKeys('caption-production') },
  { space: 'snapshot', prefix: 'language-explanation:', keysOf: jobKeys('language-explanation') },
];

/** Format 3 has an index of runtimes, ingests, captions and explanations: writes it for those that are there. It changes no other row. */
async function* indexStep(database: ClassicLevel<Buffer, Buffer>): AsyncGenerator<readonly RowChange[]> {
  for (const { space, prefix, keysOf } of indexings) {
    const rows = database.iterator(rowRange(space, prefix));
    try {
      for (let page = await rows.nextv(pageRows); page.length > 0; page = await rows.nextv(pageRows)) {
        yield page
          .flatMap(([key, row]) => keysOf(nameOf(key), decodeOrMark(key, row)))
          .map((name): RowChange => {
            const key = rowKey('index', name);
            return { type: 'put', key, value: encodeRow(key, true) };
          });
      }
    } finally {
      await rows.close();
    }
  }
}

/**
 * Brings the rows of a store from one format to the next: batches of changes, each small enough to be held in memory. A step that
 * was interrupted runs again over rows of which some are changed already, and must lead to the same.
 */
export type FormatStep = (database: ClassicLevel<Buffer, Buffer>) => AsyncIterable<readonly RowChange[]>;

/** The formats that a program opens: 1 to `newest`. */
export interface StoreFormats {
  readonly newest: number;
  /** By the format that a step begins with. A format without a step differs from the next in nothing that must be rewritten. */
  readonly steps: Readonly<Record<number, FormatStep>>;
}

/**
 * Format 2 has numbered commits; numbering begins with the commit that notes the format. Format 3 has an index. Format 4 has
 * corrections of captions: version 0.3.0 reads past them, and would export the lines as they were before. Format 5 has caption plans and
 * added lines: version 1.0.0 cannot read them.
 */
export const storeFormats: StoreFormats = { newest: storeFormat, steps: { 2: indexStep } };

interface MigratedStore {
  readonly database: ClassicLevel<Buffer, Buffer>;
  write(rows: readonly RowChange[]): Promise<void>;
}

/**
 * Brings an open store from the format `stored` to the newest one, step by step. Each batch is synced, and the format is noted
 * with the last one of its step. So a migration that was cut continues at the next open. The data root states the newest format
 * before the first row changes: from then on no earlier program opens it.
 */
export async function migrateStore(
  store: MigratedStore,
  directory: string,
  stored: number,
  { newest, steps }: StoreFormats,
): Promise<void> {
  if (stored === newest) return;
  await announceFormat(dirname(directory), newest);
  for (let format = stored; format < newest; format += 1) {
    for await (const rows of steps[format]?.(store.database) ?? []) await store.write(rows);
    await store.write([formatRow(format + 1)]);
  }
}
