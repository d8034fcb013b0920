import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { checkTable, TableFault } from '../leveldb.ts';
import { dataRootAt } from '../objects/data-root.ts';
import { objectsIn } from '../objects/object-files.ts';
import { failedWith } from '../objects/object-store-error.ts';
import { hashFile, identityAt, openRegular } from '../objects/regular-file.ts';
import { nameOf, rowRange } from './keys.ts';
import { LedgerError, openFailure } from './ledger.ts';
import { type CheckedTables, type LiveFiles, liveFilesOf, logName, readBatches } from './ledger-files.ts';
import { isUnderWay, type LedgerPosition, markPathOf, readMark } from './ledger-mark.ts';
import { openDatabase } from './open-database.ts';
import { decodeRow } from './row-codec.ts';

// A host that is writing may replace a file between two looks at it.
const flights = 3;
const betweenLooksMs = 50;

/** The result of a check of a closed store and its mark. */
export interface Examination {
  readonly mark: LedgerPosition | null;
  /** The damaged and lost parts, in words. */
  readonly faults: readonly string[];
  readonly tableFaults: readonly DamagedTable[];
}

/** A table that is missing or not as it was written: it is unknown which rows it held. */
interface DamagedTable {
  readonly name: string;
  /** Its fault, in words. */
  readonly fault: string;
}

/** Everything that is wrong with a store, in words. */
export const faultsIn = ({ faults, tableFaults }: Examination): string[] => [
  ...faults,
  ...tableFaults.map(({ fault }) => fault),
];

/**
 * Looks at the files of a ledger before LevelDB opens it: LevelDB drops what it cannot read of a log, deletes the log, and
 * says so in its own `LOG` only. It changes nothing of the store. With `checked`, tables are read only where their files are
 * not those that were found whole before. Throws `store_unreadable` where a file cannot be read.
 */
export async function examineStore(directory: string, checked: CheckedTables | null = null): Promise<Examination> {
  for (let look = 1; ; look += 1) {
    try {
      const examination = await lookAtStore(directory, checked);
      if (look === flights || examination.faults.length + examination.tableFaults.length === 0) return examination;
    } catch (error) {
      // A host that opens the store at this moment has deleted a log since.
      if (look === flights || !(error instanceof LedgerError) || !failedWith(error.cause, 'ENOENT')) throw error;
    }
    await delay(betweenLooksMs);
  }
}

/** One look, as `examineStore` takes it; beside a host that is writing it may see faults where there are none. */
export async function lookAtStore(directory: string, checked: CheckedTables | null = null): Promise<Examination> {
  try {
    return await examined(directory, checked);
  } catch (error) {
    throw openFailure(error, directory);
  }
}

async function examined(directory: string, checked: CheckedTables | null): Promise<Examination> {
  const faults: string[] = [];
  // Before the files: a host that is writing meanwhile has more in them than the mark says, never less.
  const mark = await markOf(directory, faults);
  if (await isUnderWay(directory)) faults.push('a loss was being given up, which did not come to its end');
  const live = await liveFilesOf(directory);
  if (live === null) {
    if (mark !== null && mark.commit > 0 && (await isEmpty(directory))) faults.push(lostCommits(0, mark));
    return { mark, faults, tableFaults: [] };
  }
  if (typeof live === 'string') return { mark, faults: [...faults, live], tableFaults: [] };
  await checkLogs(directory, live, mark, faults);
  return { mark, faults, tableFaults: await tableFaults(directory, live, checked) };
}

/** How many acknowledged batches are gone, in words. */
export const lostCommits = (stored: number, mark: LedgerPosition): string =>
  `acknowledged commits are missing: the store ends with commit ${stored}, its mark says ${mark.commit}`;

/** A store that names its mark has no mark file. */
export const lostMark = (directory: string): string =>
  `${markPathOf(directory)} is gone, the file with the last position of the ledger`;

async function markOf(directory: string, faults: string[]): Promise<LedgerPosition | null> {
  try {
    return await readMark(markPathOf(directory));
  } catch (error) {
    if (!(error instanceof LedgerError) || error.code !== 'ledger_damaged') throw error;
    faults.push(`${markPathOf(directory)} fails its checksums`);
    return null;
  }
}

async function isEmpty(directory: string): Promise<boolean> {
  try {
    return !(await readdir(directory)).some((name) => /^(CURRENT|\d+\.(log|ldb|sst))$/.test(name));
  } catch (error) {
    if (failedWith(error, 'ENOENT')) return true;
    throw error;
  }
}

async function checkLogs(
  directory: string,
  live: LiveFiles,
  mark: LedgerPosition | null,
  faults: string[],
): Promise<void> {
  const { logNumber, logs } = live;
  if (logNumber > 0 && !logs.includes(logNumber)) faults.push(`${logName(logNumber)} is missing`);
  const { lastCommit, faults: damage, tail } = await readBatches(directory, logs);
  faults.push(...damage);
  if (mark === null) {
    if (lastCommit !== null) faults.push(lostMark(directory));
    // A version without marks cannot know whether the last batch was acknowledged; it syncs, so no crash garbles it.
    faults.push(...tail.filter((place) => !place.endsWith('zeros')), ...(await complaints(directory)));
    return;
  }
  const stored = lastCommit ?? (logs.at(-1) === mark.openedLog ? mark.openedAt : null);
  if (stored !== null && stored < mark.commit) faults.push(...tail, lostCommits(stored, mark));
}

/** The messages of LevelDB when it dropped damaged batches under a version without this check. */
async function complaints(directory: string): Promise<string[]> {
  const found: string[] = [];
  for (const name of ['LOG.old', 'LOG']) {
    const text = await readFile(join(directory, name), 'utf8').catch((error: unknown) => {
      if (failedWith(error, 'ENOENT')) return '';
      throw error;
    });
    // Only this message always means damage.
    for (const line of text.split('\n'))
      if (/dropping \d+ bytes; .*checksum mismatch/.test(line)) found.push(`${name}: ${line}`);
  }
  return found;
}

async function tableFaults(
  directory: string,
  { tables }: LiveFiles,
  checked: CheckedTables | null,
): Promise<DamagedTable[]> {
  const faults: DamagedTable[] = [];
  const stored = new Set(await readdir(directory));
  for (const [number, { bytes }] of tables) {
    const named = ['ldb', 'sst'].map((ending) => `${String(number).padStart(6, '0')}.${ending}`);
    const [name] = named.filter((each) => stored.has(each));
    if (name === undefined) {
      faults.push({ name: named[0] ?? '', fault: `${named[0]} is missing` });
      continue;
    }
    const path = join(directory, name);
    const identity = await identityAt(path);
    const isKnown = identity !== null && checked?.isKnown(name, identity) === true;
    const fault = isKnown ? null : await tableFault(path, bytes);
    if (fault !== null) faults.push({ name, fault: `${name} at byte ${fault.offset}: ${fault.message}` });
    else if (identity !== null) checked?.note(name, identity);
  }
  return faults;
}

async function tableFault(path: string, bytes: number): Promise<TableFault | null> {
  try {
    checkTable(await readFile(path), bytes);
    return null;
  } catch (error) {
    // A host that is writing has deleted it since.
    if (failedWith(error, 'ENOENT')) return null;
    if (error instanceof TableFault) return error;
    throw error;
  }
}

/** The files of a source as its row names them; those with a path lie in a folder that the host does not own. */
const sourceRow = z.looseObject({
  files: z.array(z.looseObject({ path: z.string().nullable(), contentId: z.string() })),
});

/**
 * The faults of the objects of an unused data root, in words. They are bytes that no longer have their name, and objects of
 * sources that are gone. If an object that only a runtime names is missing, the verification of that runtime reports it. Reads
 * every byte. Throws the errors of `openDatabase` and the file system.
 */
export async function damagedObjectsOf(root: string): Promise<string[]> {
  const { ledger, objects } = dataRootAt(root);
  const faults: string[] = [];
  const present = new Set<string>();
  for await (const { contentId } of objectsIn(objects)) {
    const hex = contentId.slice('sha256:'.length);
    present.add(contentId);
    const file = await openRegular(join(objects, hex.slice(0, 2), hex));
    if (typeof file === 'string') {
      faults.push(`the object ${contentId} is ${file}`);
      continue;
    }
    try {
      if ((await hashFile(file)) !== contentId)
        faults.push(`the object ${contentId} has other bytes than its name says`);
    } finally {
      file.close();
    }
  }
  for (const [key, contentIds] of await filesOfSources(ledger)) {
    const missing = contentIds.filter((contentId) => !present.has(contentId));
    faults.push(...missing.map((contentId) => `${key} needs the object ${contentId}, which is missing`));
  }
  return faults;
}

async function filesOfSources(directory: string): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  const database = await openDatabase(directory);
  try {
    for (const [key, row] of await database.iterator(rowRange('source', '')).all()) {
      const { data } = sourceRow.safeParse(readable(key, row));
      const own = data?.files.filter(({ path }) => path === null) ?? [];
      found.set(
        nameOf(key),
        own.map(({ contentId }) => contentId),
      );
    }
    return found;
  } finally {
    await database.close();
  }
}

/** Undefined for a damaged row, which the check of the rows names. */
function readable(key: Buffer, row: Buffer): unknown {
  try {
    return decodeRow(key, row);
  } catch (error) {
    if (error instanceof LedgerError) return undefined;
    throw error;
  }
}
