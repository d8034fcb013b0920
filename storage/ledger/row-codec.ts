import { crc32 } from 'node:zlib';
import { Packr } from 'msgpackr';
import { isWellFormed } from '../../contract/base/text.ts';
import type { StampedRow } from './committer.ts';
import { LedgerError } from './ledger-error.ts';

// No shared structures: every row must be readable on its own.
const packr = new Packr({ useRecords: false, moreTypes: true });
const rowVersion = 1;
const headerBytes = 5;

/** Stands in the place of a row that cannot be decoded, so that its neighbours stay readable. */
export class DamagedRow {
  readonly key: string;
  readonly error: LedgerError;
  constructor(key: string, error: LedgerError) {
    this.key = key;
    this.error = error;
  }
}

/**
 * A stored row: version number (one byte), CRC-32 of the rest (four bytes, big-endian), MessagePack. Throws `TypeError` for
 * text with half of a surrogate pair, which would read back as something else.
 */
export function encodeRow(value: unknown): Buffer {
  if (!isWellFormed(value)) throw new TypeError('a row must hold well-formed text');
  const packed = packr.pack(value);
  const row = Buffer.allocUnsafe(headerBytes + packed.length);
  row.writeUInt8(rowVersion, 0);
  row.writeUInt32BE(crc32(packed), 1);
  // The packer reuses its buffer, so the bytes have to be copied out.
  packed.copy(row, headerBytes);
  return row;
}

/** A row that says in which batch it was written. Throws as `encodeRow`, at once. */
export function stampedRow(key: Buffer, value: object): StampedRow {
  encodeRow(value);
  return { type: 'stamp', key, encode: (commit) => encodeRow({ ...value, commit }) };
}

/** Throws `damaged_row` for an unknown version, a wrong checksum, or bytes that are not one whole value. */
export function decodeRow(key: string, row: Buffer): unknown {
  if (row.length <= headerBytes) throw new LedgerError('damaged_row', `${key} is cut short`);
  if (row.readUInt8(0) !== rowVersion) {
    throw new LedgerError('damaged_row', `${key} has the unknown row version ${row.readUInt8(0)}`);
  }
  const packed = row.subarray(headerBytes);
  if (row.readUInt32BE(1) !== crc32(packed)) throw new LedgerError('damaged_row', `${key} fails its checksum`);
  try {
    return packr.unpack(packed);
  } catch (cause) {
    throw new LedgerError('damaged_row', `${key} cannot be decoded`, cause);
  }
}

/** As `decodeRow`, with a marker instead of an exception; a row that does not exist stays undefined. */
export function decodeOrMark(key: string, row: Buffer | undefined): unknown {
  if (row === undefined) return undefined;
  try {
    return decodeRow(key, row);
  } catch (error) {
    if (error instanceof LedgerError) return new DamagedRow(key, error);
    throw error;
  }
}
