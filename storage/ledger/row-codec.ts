import { crc32 } from 'node:zlib';
import type { ClassicLevel } from 'classic-level';
import { Packr } from 'msgpackr';
import { isWellFormed } from '../../contract/base/grammar.ts';
import type { StampedRow } from './committer.ts';
import { entryOf, eventKey, everythingRange, type KeyRange } from './keys.ts';
import { LedgerError, readFailure, type StoredValue } from './ledger.ts';

// No shared structures: every row must be readable on its own.
const packr = new Packr({ useRecords: false, moreTypes: true });
const rowVersion = 2;
// Up to version 0.2.0 the checksum was of the value alone, so that a row in the place of another was taken for it.
const rowVersionWithoutKey = 1;
const headerBytes = 5;

/** The checksum covers the key, so that a row is whole only in its own place. */
const checksumOf = (version: number, key: Buffer, packed: Buffer): number =>
  version === rowVersionWithoutKey ? crc32(packed) : crc32(packed, crc32(key));

/** A stored key in words. */
function nameOfRow(key: Buffer): string {
  const entry = entryOf(key);
  return entry === null ? key.toString('utf8') : `${entry.kind} ${entry.key}`;
}

/** Takes the place of a row that cannot be decoded, so that its neighbors stay readable. */
export class DamagedRow {
  readonly key: string;
  readonly error: LedgerError;
  constructor(key: string, error: LedgerError) {
    this.key = key;
    this.error = error;
  }
}

/**
 * A stored row: version number (one byte), CRC-32 of its key and the rest (four bytes, big-endian), MessagePack. Throws
 * `TypeError` for text with half of a surrogate pair, which would read back as something else.
 */
export function encodeRow(key: Buffer, value: unknown): Buffer {
  if (!isWellFormed(value)) throw new TypeError('a row must hold well-formed text');
  return rowOf(key, [packr.pack(value)]);
}

/** The row of what was packed, in parts. The packer reuses its buffer, so the bytes are copied out. */
function rowOf(key: Buffer, parts: readonly Buffer[]): Buffer {
  const row = Buffer.allocUnsafe(parts.reduce((bytes, { length }) => bytes + length, headerBytes));
  let at = headerBytes;
  for (const part of parts) at += part.copy(row, at);
  row.writeUInt8(rowVersion, 0);
  row.writeUInt32BE(checksumOf(rowVersion, key, row.subarray(headerBytes)), 1);
  return row;
}

/** A row that says in which batch it was written, as its last field `commit`. Throws as `encodeRow`, at once. */
export function stampedRow(key: Buffer, value: object): StampedRow {
  // The number zero takes one byte, behind everything else. Another number takes its place when it is known.
  const zeroed = encodeRow(key, { ...value, commit: 0 });
  const packed = zeroed.subarray(headerBytes, -1);
  return { type: 'stamp', key, encode: (commit) => rowOf(key, [packed, packr.pack(commit)]) };
}

/** Throws `damaged_row` for an unknown version, a checksum that is wrong at this key, or bytes that are not one whole value. */
export function decodeRow(key: Buffer, row: Buffer): unknown {
  if (row.length <= headerBytes) throw damage(key, 'is cut short');
  const version = row.readUInt8(0);
  if (version !== rowVersion && version !== rowVersionWithoutKey) {
    throw damage(key, `has the unknown row version ${version}`);
  }
  const packed = row.subarray(headerBytes);
  if (row.readUInt32BE(1) !== checksumOf(version, key, packed)) throw damage(key, 'fails its checksum');
  try {
    return packr.unpack(packed);
  } catch (cause) {
    throw damage(key, 'cannot be decoded', cause);
  }
}

const damage = (key: Buffer, what: string, cause?: unknown): LedgerError =>
  new LedgerError('damaged_row', `${nameOfRow(key)} ${what}`, cause);

/** As `decodeRow`, with a marker instead of an exception; a row that does not exist stays undefined. */
export function decodeOrMark(key: Buffer, row: Buffer | undefined): unknown {
  if (row === undefined) return undefined;
  try {
    return decodeRow(key, row);
  } catch (error) {
    if (error instanceof LedgerError) return new DamagedRow(nameOfRow(key), error);
    throw error;
  }
}

const pageRows = 256;
const pageBytes = 1024 * 1024;

/** The keys of all events of a run, whatever its head says. */
export const eventsRange = (runId: string): KeyRange => ({
  gte: eventKey(runId, 0),
  lt: eventKey(runId, Number.MAX_SAFE_INTEGER),
});

/** All that a store holds at one moment, or all events of one run, in the order of the keys. Throws `store_unreadable`. */
export async function* storedValues(
  database: ClassicLevel<Buffer, Buffer>,
  runId: string | null,
): AsyncGenerator<StoredValue> {
  for await (const page of storedPages(database, runId === null ? everythingRange : eventsRange(runId))) {
    for (const [stored, value] of page) {
      const entry = entryOf(stored);
      if (entry !== null) yield { ...entry, value };
    }
  }
}

/** The first rows that `allOf` asks for, and the most at once. */
const firstRows = 64;
const mostRows = 1000;

/** An iterator of LevelDB over entries, keys or values. */
interface RowIterator<Row> {
  nextv(size: number): Promise<Row[]>;
  close(): Promise<void>;
}

/**
 * All rows of an iterator, which is closed then. Unlike its own `all()`, it begins with few. `classic-level` reserves room for as
 * many as `nextv` names, 64 KB for 1,000 rows, and frees it long after. The memory of a host with many readers grew for short lists.
 */
export async function allOf<Row>(rows: RowIterator<Row>): Promise<Row[]> {
  try {
    const all = await rows.nextv(firstRows);
    for (let page = all; page.length > 0; ) {
      page = await rows.nextv(mostRows);
      for (const row of page) all.push(row);
    }
    return all;
  } finally {
    await rows.close();
  }
}

/** The keys and values of a range as they are at one moment, page by page. Throws `store_unreadable`. */
export async function* storedPages(
  database: ClassicLevel<Buffer, Buffer>,
  range: KeyRange,
): AsyncGenerator<readonly [Buffer, Buffer][]> {
  const entries = database.iterator({ ...range, highWaterMarkBytes: pageBytes });
  try {
    for (let page = await entries.nextv(pageRows); page.length > 0; page = await entries.nextv(pageRows)) yield page;
  } catch (error) {
    throw readFailure(error, 'store_unreadable', 'stored rows and events');
  } finally {
    await entries.close();
  }
}
