import { readdir } from 'node:fs/promises';
import { ClassicLevel } from 'classic-level';
import { makeFolder } from '../objects/durable-file.ts';
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
    if (isLocked(error)) throw lockedBy(directory, error);
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
  await stampFormat(database);
}

/** Writes down that a store has the format of this version. */
export const stampFormat = (database: ClassicLevel<Buffer, Buffer>): Promise<void> =>
  database.put(formatKey, Buffer.from(storeFormat), { sync: true });

/** Throws `data_root_locked` while a host uses the store; changes nothing. */
export async function demandUnlocked(directory: string): Promise<void> {
  // LevelDB takes the lock first, and then refuses the store because it is there.
  const probe = new ClassicLevel(directory, { createIfMissing: false, errorIfExists: true });
  try {
    await probe.open();
  } catch (error) {
    if (isLocked(error)) throw lockedBy(directory, error);
  } finally {
    await probe.close();
  }
}

const lockedBy = (directory: string, cause: unknown): LedgerError =>
  new LedgerError('data_root_locked', `${directory} is in use by another host`, cause);
