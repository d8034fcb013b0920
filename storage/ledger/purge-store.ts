import { readdir } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { ClassicLevel } from 'classic-level';
import { LedgerError } from './ledger.ts';
import { type LiveFiles, liveFilesOf, logName } from './ledger-files.ts';

/** Tables that LevelDB compacts at once, 32 MB: a host that stops waits no longer than for that many. */
const tablesAtOnce = 16;

/** A reader that began before the end of the compaction keeps the files that it reads; these are looked for so often. */
const looks = 20;
const betweenLooksMs = 50;

const beforeAll = Buffer.alloc(0);
const behindAll = Buffer.of(0xff);

/** Behind every row: LevelDB finds nothing to compact there, but puts its log into a table first. */
const flush = (database: ClassicLevel<Buffer, Buffer>): Promise<void> => database.compactRange(behindAll, behindAll);

/** A key behind the first one of a table. No row has it: 0xff is in no text, and no event has so long a key. */
const keyInside = (smallest: Buffer): Buffer => Buffer.concat([smallest, Buffer.of(0x00, 0xff)]);

/**
 * Rewrites every table of an open store, so that none of its files holds what was deleted or overwritten before the call. True if
 * that is so now; false if it was stopped, or if a reader kept an older file open all the time. Commits and reads continue
 * meanwhile: LevelDB works on a thread of its own.
 *
 * LevelDB keeps a deleted value in its log until it begins another one, and in a table until it merges that with a newer one. Two
 * tables of the lowest level are never merged, not even by `compactRange`. So each table gets a newer neighbor: a deletion, by
 * `deleteAll`, of a key inside of it that no row has.
 */
export async function purgeStore(
  database: ClassicLevel<Buffer, Buffer>,
  deleteAll: (keys: readonly Buffer[]) => Promise<void>,
  signal?: AbortSignal,
): Promise<boolean> {
  await flush(database);
  const { tables } = await filesOf(database.location);
  const begins = [...tables.values()].map(({ smallest }) => smallest).sort(Buffer.compare);
  await deleteAll(begins.map(keyInside));
  for (let at = 0; at < Math.max(1, begins.length); at += tablesAtOnce) {
    if (signal?.aborted) return false;
    const from = at === 0 ? beforeAll : (begins[at] ?? behindAll);
    await database.compactRange(from, begins[at + tablesAtOnce] ?? behindAll);
  }
  for (let look = 1; look <= looks && !signal?.aborted; look += 1) {
    if (await holdsLiveFilesOnly(database.location)) return true;
    await delay(betweenLooksMs);
    // LevelDB removes files that nothing uses any more when it has written a table, or begun a log.
    await flush(database);
  }
  return false;
}

async function filesOf(directory: string): Promise<LiveFiles> {
  const live = await liveFilesOf(directory);
  if (live !== null && typeof live !== 'string') return live;
  throw new LedgerError('store_unreadable', `${directory}: ${live ?? 'it names no manifest'}`);
}

async function holdsLiveFilesOnly(directory: string): Promise<boolean> {
  const stored = (await readdir(directory)).filter((name) => /^\d+\.(log|ldb|sst)$/.test(name));
  const { tables, logs } = await filesOf(directory);
  const live = new Set(logs.map(logName));
  return stored.every((name) => live.has(name) || (!name.endsWith('.log') && tables.has(Number.parseInt(name, 10))));
}
