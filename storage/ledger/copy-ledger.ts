import { dirname } from 'node:path';
import { ClassicLevel } from 'classic-level';
import { makeFolder, syncFolder } from '../objects/durable-file.ts';
import type { LedgerCopy } from './ledger.ts';
import { commitOf, openMark } from './numbered-store.ts';
import { formatOf } from './open-database.ts';

const pageRows = 512;
const pageBytes = 1024 * 1024;

/**
 * Copies an open store into a new folder, with a mark beside it, as it is at one moment: LevelDB reads an iterator from a
 * snapshot, whatever is committed meanwhile. The copy is on disk when it resolves.
 */
export async function copyLedger(source: ClassicLevel<Buffer, Buffer>, directory: string): Promise<LedgerCopy> {
  await makeFolder(directory);
  const options = { keyEncoding: 'buffer', valueEncoding: 'buffer', errorIfExists: true } as const;
  const rows = source.iterator({ highWaterMarkBytes: pageBytes });
  const copy = new ClassicLevel<Buffer, Buffer>(directory, options);
  try {
    await copy.open();
    for (let page = await rows.nextv(pageRows); page.length > 0; page = await rows.nextv(pageRows)) {
      const batch = copy.batch();
      for (const [key, value] of page) batch.put(key, value);
      await batch.write();
    }
  } finally {
    await rows.close();
    await copy.close();
  }
  // Opening it again moves all rows from the log into tables, which LevelDB syncs; a mark begins there.
  const reopened = new ClassicLevel<Buffer, Buffer>(directory, { ...options, errorIfExists: false });
  await reopened.open();
  try {
    const copied = { format: formatOf(reopened), commit: commitOf(reopened) };
    await (await openMark(directory, copied.commit)).close();
    return copied;
  } finally {
    await reopened.close();
    await syncFolder(directory);
    await syncFolder(dirname(directory));
  }
}
