import { readdir } from 'node:fs/promises';
import { ClassicLevel } from 'classic-level';
import { makeFolder } from './durable-file.ts';
import { formatKey } from './keys.ts';
import { isLocked, LedgerError, openFailure, readFailure } from './ledger-error.ts';
import { refuseLostLedger } from './lost-ledger.ts';

const storeFormat = '1';

/**
 * Opens the LevelDB store in a folder, stamps it with the format number when it is new, and refuses any other number
 * without writing a row. Throws `data_root_locked`, `ledger_missing`, `store_format_unsupported`, `store_unreadable` or a
 * `SystemRefusalCode`.
 */
export async function openDatabase(directory: string): Promise<ClassicLevel<Buffer, Buffer>> {
  await refuseLostIndex(directory);
  const database = new ClassicLevel<Buffer, Buffer>(directory, { keyEncoding: 'buffer', valueEncoding: 'buffer' });
  try {
    await database.open();
  } catch (error) {
    if (isLocked(error)) throw new LedgerError('data_root_locked', `${directory} is in use by another host`, error);
    throw openFailure(error, directory);
  }
  try {
    await claimFormat(database, directory);
    return database;
  } catch (error) {
    await database.close();
    throw readFailure(error, 'store_unreadable', directory);
  }
}

// Without its CURRENT file LevelDB takes a full folder for an empty one and deletes the rows in it.
async function refuseLostIndex(directory: string): Promise<void> {
  try {
    await makeFolder(directory);
    const names = await readdir(directory);
    if (names.includes('CURRENT')) return;
    if (!names.some((name) => /^\d+\.(log|ldb|sst)$/.test(name))) return await refuseLostLedger(directory);
  } catch (error) {
    throw openFailure(error, directory);
  }
  throw new LedgerError('store_unreadable', `${directory} holds rows but its CURRENT file is gone`);
}

async function claimFormat(database: ClassicLevel<Buffer, Buffer>, directory: string): Promise<void> {
  const stored = database.getSync(formatKey)?.toString('utf8');
  if (stored === storeFormat) return;
  const isNew = stored === undefined && (await database.keys({ limit: 1 }).all()).length === 0;
  if (!isNew) {
    throw new LedgerError(
      'store_format_unsupported',
      `${directory} has format ${stored ?? 'unknown'}, not ${storeFormat}`,
    );
  }
  await database.put(formatKey, Buffer.from(storeFormat), { sync: true });
}
