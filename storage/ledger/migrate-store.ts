import { dirname } from 'node:path';
import type { ClassicLevel } from 'classic-level';
import { announceFormat } from '../objects/data-root-marker.ts';
import { storeFormat } from '../store-format.ts';
import type { RowChange } from './committer.ts';
import { indexStep } from './index-step.ts';
import { formatRow } from './keys.ts';

/**
 * Brings the rows of a store from one format to the next: batches of changes, each small enough to be held in memory. A step
 * that was interrupted begins anew over rows of which some are changed already, and must lead to the same.
 */
export type FormatStep = (database: ClassicLevel<Buffer, Buffer>) => AsyncIterable<readonly RowChange[]>;

/** The formats that a program opens: 1 to `newest`. */
export interface StoreFormats {
  readonly newest: number;
  /** By the format that a step begins with. A format without a step differs from the next in nothing that must be rewritten. */
  readonly steps: Readonly<Record<number, FormatStep>>;
}

/** Format 2 has numbered commits; numbering begins with the commit that notes the format. Format 3 has an index. */
export const storeFormats: StoreFormats = { newest: storeFormat, steps: { 2: indexStep } };

interface MigratedStore {
  readonly database: ClassicLevel<Buffer, Buffer>;
  write(rows: readonly RowChange[]): Promise<void>;
}

/**
 * Brings an open store from the format `stored` to the newest one, step by step. Each batch is synced, and the format is noted
 * with the last one of its step, so that a migration that was cut goes on at the next open. The data root says the newest
 * format before the first row changes: from then on no earlier program opens it.
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
