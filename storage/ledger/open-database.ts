import { readdir } from 'node:fs/promises';
import { ClassicLevel } from 'classic-level';
import { unsupportedFormat } from '../objects/data-root.ts';
import { makeFolder } from '../objects/durable-file.ts';
import { formatKey } from './keys.ts';
import { isLocked, LedgerError, openFailure, readFailure } from './ledger.ts';
import { refuseLostLedger } from './ledger-files.ts';
import { type StoreFormats, storeFormats } from './migrate-store.ts';

/**
 * Opens the LevelDB store in a folder and stamps it with the newest format when it is new. It refuses a format that this program
 * does not open, without writing a row. An older format stays as it is. Throws `data_root_locked`, `ledger_missing`,
 * `store_format_unsupported`, `store_unreadable` or a `SystemRefusalCode`.
 */
export async function openDatabase(
  directory: string,
  { newest }: StoreFormats = storeFormats,
): Promise<ClassicLevel<Buffer, Buffer>> {
  await refuseLostIndex(directory);
  const database = new ClassicLevel<Buffer, Buffer>(directory, { keyEncoding: 'buffer', valueEncoding: 'buffer' });
  try {
    await database.open();
  } catch (error) {
    if (isLocked(error)) throw lockedBy(directory, error);
    throw openFailure(error, directory);
  }
  try {
    await claimFormat(database, directory, newest);
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

async function claimFormat(database: ClassicLevel<Buffer, Buffer>, directory: string, newest: number): Promise<void> {
  const stored = database.getSync(formatKey)?.toString('utf8') ?? null;
  if (stored !== null && /^[1-9]\d*$/.test(stored) && Number(stored) <= newest) return;
  const isNew = stored === null && (await database.keys({ limit: 1 }).all()).length === 0;
  if (!isNew) throw new LedgerError('store_format_unsupported', unsupportedFormat(directory, stored));
  await stampFormat(database, newest);
}

/** The format of an open store that `openDatabase` let pass. */
export const formatOf = (database: ClassicLevel<Buffer, Buffer>): number => Number(database.getSync(formatKey));

/** Writes down that a store has a format. */
export const stampFormat = (database: ClassicLevel<Buffer, Buffer>, format: number): Promise<void> =>
  database.put(formatKey, Buffer.from(String(format)), { sync: true });

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
