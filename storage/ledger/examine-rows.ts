import type { ClassicLevel } from 'classic-level';
import { auditJournal } from './journal-audit.ts';
import { commitKey, entryOf, everythingRange, formatKey, headKey } from './keys.ts';
import { LedgerError, readFailure } from './ledger-error.ts';
import { storeFormats } from './migrate-store.ts';
import { formatOf, openDatabase } from './open-database.ts';
import { decodeRow } from './row-codec.ts';
import { RowRelations } from './row-relations.ts';

const pageRows = 256;
const pageBytes = 1024 * 1024;

/**
 * Everything that is wrong with the rows and the journals of a ledger that no host uses, in words: what cannot be read, what
 * stands in the place of something else, and what names something that is missing. Its files must be whole. Nothing for an older
 * format, which lacks rows that this one has. Throws what `openDatabase` throws.
 */
export async function damagedRowsOf(directory: string): Promise<string[]> {
  const database = await openDatabase(directory);
  try {
    return formatOf(database) === storeFormats.newest ? await examineRows(database) : [];
  } finally {
    await database.close();
  }
}

async function examineRows(database: ClassicLevel<Buffer, Buffer>): Promise<string[]> {
  const faults: string[] = [];
  const relations = new RowRelations();
  const runs = new Set<string>();
  const entries = database.iterator({ ...everythingRange, highWaterMarkBytes: pageBytes });
  try {
    for (let page = await entries.nextv(pageRows); page.length > 0; page = await entries.nextv(pageRows)) {
      for (const [key, row] of page) examineRow(key, row, { faults, relations, runs });
    }
  } catch (error) {
    throw readFailure(error, 'store_unreadable', 'stored rows and events');
  } finally {
    await entries.close();
  }
  for (const run of runs) {
    // What is being erased has lost its head already.
    if (relations.isDeleted(run) && database.getSync(headKey(run)) === undefined) continue;
    faults.push(...(await journalFaults(database, run)));
  }
  return [...faults, ...relations.faults()];
}

interface Found {
  readonly faults: string[];
  readonly relations: RowRelations;
  readonly runs: Set<string>;
}

function examineRow(key: Buffer, row: Buffer, { faults, relations, runs }: Found): void {
  const entry = entryOf(key);
  if (entry === null) {
    if (!key.equals(formatKey) && !key.equals(commitKey)) faults.push(`nobody knows the key ${key.toString('hex')}`);
    return;
  }
  const { kind } = entry;
  if (kind === 'event' || kind === 'head') {
    runs.add(entry.key);
    return;
  }
  try {
    relations.note(kind, entry.key, decodeRow(key, row));
  } catch (error) {
    if (!(error instanceof LedgerError)) throw error;
    faults.push(error.message);
    // It is there, whatever it says.
    relations.note(kind, entry.key, undefined);
  }
}

async function journalFaults(database: ClassicLevel<Buffer, Buffer>, run: string): Promise<string[]> {
  try {
    await auditJournal(database, run);
    return [];
  } catch (error) {
    if (error instanceof LedgerError) return [error.message];
    throw error;
  }
}
