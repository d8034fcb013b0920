import { dirname } from 'node:path';
import { ClassicLevel } from 'classic-level';
import { makeFolder, syncFolder } from '../objects/durable-file.ts';
import type { QueuedRow } from './committer.ts';
import { type Examination, examineStore, faultsIn, lostCommits, lostMark } from './examine-store.ts';
import { commitKey } from './keys.ts';
import { type LedgerCopy, LedgerError, openFailure } from './ledger.ts';
import { CheckedTables, isLog, numbersOf } from './ledger-files.ts';
import { LedgerMark, type LedgerPosition, markPathOf } from './ledger-mark.ts';
import { migrateStore, type StoreFormats, storeFormats } from './migrate-store.ts';
import { formatOf, openDatabase } from './open-database.ts';

/**
 * A LevelDB store whose batches are numbered. The number lies in the batch, and after the batch was synced also in a mark
 * beside the store; nothing is acknowledged before. So a store that ends before its mark has lost what was acknowledged.
 */
export class NumberedStore {
  readonly database: ClassicLevel<Buffer, Buffer>;
  readonly #mark: LedgerMark;
  #commit: number;
  #newest: number;

  constructor(database: ClassicLevel<Buffer, Buffer>, mark: LedgerMark) {
    this.database = database;
    this.#mark = mark;
    this.#commit = mark.commit;
    this.#newest = mark.commit;
  }

  /** The number of the newest batch that is on disk with its mark. */
  get newest(): number {
    return this.#newest;
  }

  /** Writes all rows or none; resolves once they and their mark are on disk. One call at a time. */
  async write(rows: readonly QueuedRow[]): Promise<void> {
    this.#mark.demandInPlace();
    this.#commit += 1;
    await writeSynced(this.database, this.#commit, rows);
    await this.#mark.rise(this.#commit);
    this.#newest = this.#commit;
  }

  /** Throws `commit_failed` if the data root was moved. */
  demandInPlace(): void {
    this.#mark.demandInPlace();
  }

  async close(): Promise<void> {
    await this.database.close();
    await this.#mark.close();
  }
}

/** The number of the newest batch of an open store; 0 for one that was never numbered. */
export function batchNumberOf(database: ClassicLevel<Buffer, Buffer>): number {
  const row = database.getSync(commitKey);
  if (row === undefined) return 0;
  if (row.length !== 8) throw new LedgerError('ledger_damaged', 'the row that numbers the newest batch is damaged');
  return Number(row.readBigUInt64BE());
}

function damagedLedger(directory: string, faults: readonly string[]): LedgerError {
  const shown = faults.length > 3 ? [...faults.slice(0, 3), `and ${faults.length - 3} more`] : faults;
  return new LedgerError('ledger_damaged', `${directory}: ${shown.join('; ')}; nothing of it is served`);
}

/**
 * Opens the store of a ledger and brings it to the newest format. Rejects with the errors of `openDatabase`, and with
 * `ledger_damaged` when acknowledged bytes or commits are lost. If the files show it already, they stay unchanged.
 */
export async function openNumberedStore(
  directory: string,
  formats: StoreFormats = storeFormats,
): Promise<NumberedStore> {
  const { mark } = await soundStore(directory);
  const database = await openDatabase(directory, formats);
  try {
    const commit = batchNumberOf(database);
    if (mark !== null && commit < mark.commit) throw damagedLedger(directory, [lostCommits(commit, mark)]);
    if (mark === null && commit > 0) throw damagedLedger(directory, [lostMark(directory)]);
    return await inNewestFormat(new NumberedStore(database, await openMark(directory, commit)), directory, formats);
  } catch (error) {
    await database.close();
    throw openFailure(error, directory);
  }
}

async function inNewestFormat(store: NumberedStore, directory: string, formats: StoreFormats): Promise<NumberedStore> {
  try {
    await migrateStore(store, directory, formatOf(store.database), formats);
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function soundStore(directory: string): Promise<Examination> {
  const checked = await CheckedTables.of(directory);
  const examination = await examineStore(directory, checked);
  const faults = faultsIn(examination);
  if (faults.length > 0) throw damagedLedger(directory, faults);
  await checked.save();
  return examination;
}

/** Begins a mark for a store that has just been opened, so that all its rows lie in tables and its log is empty. */
export async function openMark(directory: string, commit: number): Promise<LedgerMark> {
  const openedLog = (await numbersOf(directory, isLog)).at(-1) ?? 0;
  return LedgerMark.open(markPathOf(directory), { commit, openedAt: commit, openedLog } satisfies LedgerPosition);
}

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
    const copied = { format: formatOf(reopened), commit: batchNumberOf(reopened) };
    await (await openMark(directory, copied.commit)).close();
    return copied;
  } finally {
    await reopened.close();
    await syncFolder(directory);
    await syncFolder(dirname(directory));
  }
}

/**
 * Writes all rows or none, the number of the batch in front; resolves once they are on disk. The rows are handed over one by one,
 * which takes a third of the CPU time of `batch(rows)`. That one copies every row into an object of its own first.
 */
export function writeSynced(
  database: ClassicLevel<Buffer, Buffer>,
  commit: number,
  rows: readonly QueuedRow[],
): Promise<void> {
  const batch = database.batch();
  batch.put(commitKey, commitValue(commit));
  for (const row of rows) {
    if (row.type === 'put') batch.put(row.key, row.value);
    else if (row.type === 'stamp') batch.put(row.key, row.encode(commit));
    else batch.del(row.key);
  }
  return batch.write({ sync: true });
}

function commitValue(commit: number): Buffer {
  const value = Buffer.alloc(8);
  value.writeBigUInt64BE(BigInt(commit));
  return value;
}
