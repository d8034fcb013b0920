import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readLog } from '../leveldb/leveldb-log.ts';
import { commitKey } from './keys.ts';
import { logName } from './live-files.ts';

const headerBytes = 12;
const commitBytes = 8;
// The first row of a batch of the ledger: put, the length of the key, the key, the length of the value.
const commitPrefix = Buffer.concat([Buffer.of(1, commitKey.length), commitKey, Buffer.of(commitBytes)]);

/** What the logs of a store hold. */
export interface StoredBatches {
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
