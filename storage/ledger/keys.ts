import type { RowChange } from './committer.ts';
import type { Space } from './ledger.ts';

// One letter in front keeps every kind of row in a key range of its own.
const tags: Readonly<Record<Space, string>> = {
  snapshot: 's',
  live: 'l',
  source: 'c',
  session: 'n',
  operation: 'o',
  record: 'r',
  unproven: 'u',
  index: 'i',
  transition: 't',
  observation: 'w',
};
const headTag = 'h';
const eventTag = 'j';
const seqBytes = 8;

/** The row that names the store's format. */
export const formatKey: Buffer = Buffer.from('m:format');

/** Notes that a store has a format. */
export const formatRow = (format: number): RowChange => ({
  type: 'put',
  key: formatKey,
  value: Buffer.from(String(format)),
});

/** The row that holds the number of the newest batch, as eight big-endian bytes. */
export const commitKey: Buffer = Buffer.from('m:commit');

/** A key range as LevelDB takes it, ends included or not as the names say. */
export interface KeyRange {
  readonly gte: Buffer;
  readonly lt: Buffer;
}

function tagged(tag: string, name: string): Buffer {
  // Two names with unpaired surrogates would become the same bytes.
  if (name === '' || !name.isWellFormed()) throw new TypeError('a key must be well-formed text that is not empty');
  return Buffer.from(tag + name, 'utf8');
}

export const rowKey = (space: Space, key: string): Buffer => tagged(tags[space], key);

/** The rows of a space whose key begins with `prefix`. No UTF-8 text contains the byte 0xff that ends the range. */
export function rowRange(space: Space, prefix: string): KeyRange {
  const gte = prefix === '' ? Buffer.from(tags[space]) : rowKey(space, prefix);
  return { gte, lt: Buffer.concat([gte, Buffer.of(0xff)]) };
}

/** The heads of all journals. */
export const headRange: KeyRange = { gte: Buffer.from(headTag), lt: Buffer.from([headTag.charCodeAt(0), 0xff]) };

/** Everything that a store holds. */
export const everythingRange: KeyRange = { gte: Buffer.alloc(0), lt: Buffer.of(0xff) };

/** The caller's key of a stored row. */
export const nameOf = (key: Buffer): string => key.toString('utf8', 1);

const spaces = new Map(Object.entries(tags).map(([space, tag]) => [tag, space as Space]));

/** The kind and the name in a stored key; null for the rows that the store keeps of itself. */
export function entryOf(key: Buffer): { readonly kind: Space | 'head' | 'event'; readonly key: string } | null {
  const tag = key.toString('utf8', 0, 1);
  if (tag === eventTag) return { kind: 'event', key: key.toString('utf8', 1, key.length - seqBytes - 1) };
  const kind = tag === headTag ? 'head' : spaces.get(tag);
  return kind === undefined ? null : { kind, key: nameOf(key) };
}

export function headKey(runId: string): Buffer {
  // The key of an event ends the run's name with a zero byte.
  if (runId.includes('\0')) throw new TypeError('a run id must not contain a zero character');
  return tagged(headTag, runId);
}

/** Events sort by seq: the run's name, a zero byte and seq as eight big-endian bytes. */
export function eventKey(runId: string, seq: number): Buffer {
  const name = Buffer.from(`${eventTag}${runId}\0`, 'utf8');
  const key = Buffer.allocUnsafe(name.length + seqBytes);
  name.copy(key);
  key.writeUInt32BE(Math.floor(seq / 2 ** 32), name.length);
  key.writeUInt32BE(seq % 2 ** 32, name.length + 4);
  return key;
}

/** The seq at the end of an event's key. */
export const eventSeqOf = (key: Buffer): number => Number(key.readBigUInt64BE(key.length - seqBytes));

/**
 * Keys of the index. Each lists the members of one scope, such as `runtime` or `session/<id>`, in the order of their beginning,
 * newest first. The rows of the index contain nothing but their keys.
 */

// The latest time that a date can be, in epoch ms; its number of digits is that of every place.
const lastMs = 8_640_000_000_000_000;
const digits = 16;

const placePattern = /^\d{16}\/[^/]+$/;

/** The place of something within its scope: `startedAt` is epoch ms, and what is newer sorts before. */
const indexPlace = (startedAt: number, id: string): string =>
  `${String(lastMs - startedAt).padStart(digits, '0')}/${id}`;

export const indexKey = (scope: string, startedAt: number, id: string): string =>
  `${scope}/${indexPlace(startedAt, id)}`;

/** True if a text of a client is a place. */
export const isIndexPlace = (text: string): boolean => placePattern.test(text);

/** The id at a place, and when it began (epoch ms). */
export function indexed(place: string): { readonly id: string; readonly startedAt: number } {
  return { id: place.slice(digits + 1), startedAt: lastMs - Number(place.slice(0, digits)) };
}
