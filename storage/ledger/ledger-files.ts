import { readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { readLog, type StoreVersion, storeVersionOf } from '../leveldb.ts';
import { dataRootAt } from '../objects/data-root.ts';
import { kindOf, privateFile } from '../objects/durable-file.ts';
import { failedWith } from '../objects/object-store-error.ts';
import { commitKey } from './keys.ts';
import { LedgerError } from './ledger.ts';

/** The files of a LevelDB store that count, by their numbers. */
export interface LiveFiles extends StoreVersion {
  /** The logs that the next host reads, the oldest first. */
  readonly logs: readonly number[];
}

/** Numbers of the files with one of these endings, ascending. */
export async function numbersOf(directory: string, ending: RegExp): Promise<number[]> {
  const names = (await readdir(directory)).filter((name) => ending.test(name));
  return names.map((name) => Number.parseInt(name, 10)).sort((one, other) => one - other);
}

export const logName = (number: number): string => `${String(number).padStart(6, '0')}.log`;
export const isLog: RegExp = /^\d+\.log$/;

/**
 * The files that the manifest of a store names. Null if there is no store, or one whose manifest LevelDB will miss itself; a text
 * if the manifest is damaged.
 */
export async function liveFilesOf(directory: string): Promise<LiveFiles | null | string> {
  const current = await readIfThere(join(directory, 'CURRENT'));
  const name = /^(MANIFEST-\d+)\n$/.exec(current?.toString('latin1') ?? '')?.[1];
  const manifest = name === undefined ? null : await readIfThere(join(directory, name));
  if (manifest === null) return null;
  const { records, faults } = readLog(manifest);
  const [fault] = faults;
  if (fault !== undefined) return `${name} at byte ${fault.offset}: ${fault.reason}`;
  try {
    const version = storeVersionOf(records.map(({ bytes }) => bytes));
    const isLive = (log: number) => log >= version.logNumber || log === version.previousLogNumber;
    return { ...version, logs: (await numbersOf(directory, isLog)).filter(isLive) };
  } catch (error) {
    if (error instanceof RangeError) return `${name}: ${error.message}`;
    throw error;
  }
}

async function readIfThere(path: string): Promise<Buffer | null> {
  try {
    return await readFile(path);
  } catch (error) {
    if (failedWith(error, 'ENOENT')) return null;
    throw error;
  }
}

const version = 'checked-tables 1';

/**
 * The tables of a ledger that were found whole, each with the identity of its file (`identityAt`): while that stays, so do its
 * bytes. The list is beside the ledger, so that a start need not read them again. Without it, or with an unreadable one, all
 * tables are checked.
 */
export class CheckedTables {
  readonly #path: string;
  readonly #known: ReadonlyMap<string, string>;
  readonly #whole = new Map<string, string>();

  private constructor(path: string, known: ReadonlyMap<string, string>) {
    this.#path = path;
    this.#known = known;
  }

  static async of(directory: string): Promise<CheckedTables> {
    const path = join(dirname(directory), `${basename(directory)}.tables`);
    const text = await readFile(path, 'utf8').catch(() => '');
    const [head, ...lines] = text.split('\n');
    const pairs = head === version ? lines.map((line) => line.split(' ')) : [];
    return new CheckedTables(path, new Map(pairs.map(([name = '', identity = '']) => [name, identity])));
  }

  isKnown(name: string, identity: string): boolean {
    return this.#known.get(name) === identity;
  }

  note(name: string, identity: string): void {
    this.#whole.set(name, identity);
  }

  /** Keeps what was noted, where that is something new. A list that cannot be written costs the next start its time alone. */
  async save(): Promise<void> {
    const isNew = [...this.#whole].some(([name, identity]) => !this.isKnown(name, identity));
    if (!isNew && this.#whole.size === this.#known.size) return;
    const text = [version, ...[...this.#whole].map((pair) => pair.join(' '))].join('\n');
    const fresh = `${this.#path}.new`;
    await writeFile(fresh, text, { mode: privateFile })
      .then(() => rename(fresh, this.#path))
      .catch(() => {});
  }
}

const headerBytes = 12;
const commitBytes = 8;
// The first row of a batch of the ledger: put, the length of the key, the key, the length of the value.
const commitPrefix = Buffer.concat([Buffer.of(1, commitKey.length), commitKey, Buffer.of(commitBytes)]);

/** The batches in the logs of a store. */
interface StoredBatches {
  /** Number of the newest batch in them; null when none of them is numbered. */
  readonly lastCommit: number | null;
  /** Places that hold no batch although later ones do, and gaps between batches. A crash leaves none of these. */
  readonly faults: readonly string[];
  /**
   * Places behind the last batch. A loss of power leaves such a place of a batch that was never acknowledged; so does
   * damage of one that was.
   */
  readonly tail: readonly string[];
}

/** Reads the batches of logs, the oldest log first. */
export async function readBatches(directory: string, logs: readonly number[]): Promise<StoredBatches> {
  const faults: string[] = [];
  let tail: string[] = [];
  let lastCommit: number | null = null;
  let next: bigint | null = null;
  for (const log of logs) {
    const name = logName(log);
    const reading = readLog(await readFile(join(directory, name)));
    const places = [...reading.records, ...reading.faults].sort((one, other) => one.offset - other.offset);
    for (const place of places) {
      const where = `${name} at byte ${place.offset}`;
      if ('reason' in place || place.bytes.length < headerBytes) {
        tail.push(`${where}: ${'reason' in place ? place.reason : 'no batch'}`);
        continue;
      }
      faults.push(...tail);
      tail = [];
      const sequence = place.bytes.readBigUInt64LE(0);
      if (next !== null && sequence !== next) faults.push(`${where}: batches before it are missing`);
      next = sequence + BigInt(place.bytes.readUInt32LE(8));
      lastCommit = commitOf(place.bytes) ?? lastCommit;
    }
  }
  return { lastCommit, faults, tail };
}

function commitOf(batch: Buffer): number | null {
  const value = headerBytes + commitPrefix.length;
  if (!batch.subarray(headerBytes, value).equals(commitPrefix) || batch.length < value + commitBytes) return null;
  return Number(batch.readBigUInt64BE(value));
}

/**
 * Keeps a ledger folder without a store from becoming a new one if it has objects beside it. Every object is stored after the
 * ledger, so the ledger was lost. With a new one, nothing would explain the objects. Throws `ledger_missing`.
 */
export async function refuseLostLedger(directory: string): Promise<void> {
  const { objects } = dataRootAt(dirname(directory));
  if ((await kindOf(objects)) !== 'folder') return;
  for (const shard of await readdir(objects)) {
    const folder = join(objects, shard);
    if ((await kindOf(folder)) !== 'folder' || (await readdir(folder)).length === 0) continue;
    throw new LedgerError('ledger_missing', `${directory} holds no store although ${objects} holds files`);
  }
}
