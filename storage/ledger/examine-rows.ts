import type { ClassicLevel } from 'classic-level';
import { auditJournal } from './journal-audit.ts';
import { commitKey, entryOf, everythingRange, formatKey, headKey, nameOf, rowRange } from './keys.ts';
import { LedgerError, readFailure } from './ledger-error.ts';
import { storeFormats } from './migrate-store.ts';
import { formatOf, openDatabase } from './open-database.ts';
import { decodeOrMark, decodeRow } from './row-codec.ts';
import { RowRelations } from './row-relations.ts';

const pageRows = 256;
const pageBytes = 1024 * 1024;

/** A check of the records whose keys begin with `prefix`: says in words what is wrong with them. A damaged one is a `DamagedRow`. */
export interface RecordCheck {
  readonly prefix: string;
  faultsOf(records: ReadonlyMap<string, unknown>): string[];
}

/**
 * Everything that is wrong with the rows and the journals of a ledger that no host uses, in words: what cannot be read, what
 * stands in the place of something else, and what names something that is missing. What was lost and given up is no damage again:
 * it is withheld. Its files must be whole. Nothing for an older format, which lacks rows that this one has. Throws what
 * `openDatabase` throws.
 */
export async function damagedRowsOf(directory: string, records: RecordCheck): Promise<string[]> {
  const database = await openDatabase(directory);
  try {
    if (formatOf(database) !== storeFormats.newest) return [];
    return [...(await examineRows(database)), ...records.faultsOf(await recordsOf(database, records.prefix))];
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
  const unproven = new Set((await database.keys(rowRange('unproven', '')).all()).map(nameOf));
  for (const run of runs) {
    if (unproven.has(run)) continue;
    // What is being erased has lost its head already.
    if (relations.isDeleted(run) && database.getSync(headKey(run)) === undefined) continue;
    faults.push(...(await journalFaults(database, run)));
  }
  // Which of the rows that are missing were given up cannot be told.
  return unproven.size === 0 ? [...faults, ...relations.faults()] : faults;
}

async function recordsOf(database: ClassicLevel<Buffer, Buffer>, prefix: string): Promise<Map<string, unknown>> {
  const entries = await database.iterator(rowRange('record', prefix)).all();
  return new Map(entries.map(([key, row]) => [nameOf(key), decodeOrMark(key, row)]));
}

interface Found {
  readonly faults: string[];
  readonly relations: RowRelations;
  readonly runs: Set<string>;
}

function examineRow(key: Buffer, row: Buffer, { faults, relations, runs }: Found): void {
  const entry = entryOf(key);
  if (entry === null) {
    if (!key.equals(formatKey) && !key.equals(commitKey)) faults.push(`unknown key ${key.toString('hex')}`);
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
