import type { ClassicLevel } from 'classic-level';
import type { RowChange } from './committer.ts';

/**
 * Writes all rows or none, `first` in front; resolves once they are on disk. The rows are handed over one by one, which
 * takes a third of the CPU time of `batch(rows)`: that one copies every row into an object of its own first.
 */
export function writeSynced(
  database: ClassicLevel<Buffer, Buffer>,
  first: RowChange,
  rows: readonly RowChange[],
): Promise<void> {
  const batch = database.batch();
  const add = (row: RowChange) => (row.type === 'put' ? batch.put(row.key, row.value) : batch.del(row.key));
  add(first);
  for (const row of rows) add(row);
  return batch.write({ sync: true });
}
