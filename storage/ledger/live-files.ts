import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readLog } from '../leveldb/leveldb-log.ts';
import { type StoreVersion, storeVersionOf } from '../leveldb/leveldb-manifest.ts';
import { failedWith } from '../objects/object-store-error.ts';

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
 * Which files the manifest of a store names; null where there is no store, or one whose manifest LevelDB will miss itself;
 * a text where the manifest is damaged.
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
