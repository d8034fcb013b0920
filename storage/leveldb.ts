/** Reads the numbers and texts of LevelDB's files one after the other. Throws `RangeError` behind the last byte. */
class ByteCursor {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get at(): number {
    return this.#at;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  /** A number in groups of seven bits, the lowest first. */
  varint(): number {
    let value = 0;
    for (let factor = 1; factor <= 2 ** 56; factor *= 128) {
      const byte = this.#bytes.readUInt8(this.#at);
      this.#at += 1;
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
    }
    throw new RangeError('a number has too many bytes');
  }

  take(length: number): Buffer {
    const end = this.#at + length;
    if (end > this.#bytes.length) throw new RangeError(`${length} bytes are not there`);
    const taken = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }

  /** Bytes behind their length. */
  text(): Buffer {
    return this.take(this.varint());
  }
}

const polynomial = 0x82f63b78;
const maskDelta = 0xa282ead8;

const table = Int32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = (value >>> 1) ^ (value & 1 ? polynomial : 0);
  return value;
});

/**
 * CRC-32 with Castagnoli's polynomial (RFC 3720, appendix B.4), as an unsigned integer; about 200 MB a second. LevelDB
 * checks its files with it; Node's own `crc32` has another polynomial.
 */
function crc32c(bytes: Uint8Array): number {
  let crc = -1;
  // By index: an iterator takes three times as long.
  for (let at = 0; at < bytes.length; at += 1) crc = (crc >>> 8) ^ (table[(crc ^ (bytes[at] ?? 0)) & 0xff] ?? 0);
  return ~crc >>> 0;
}

/** The checksum in the form in which LevelDB stores it: turned by 15 bits, plus a constant. */
function maskedCrc32c(bytes: Uint8Array): number {
  const crc = crc32c(bytes);
  return (((crc >>> 15) | (crc << 17)) + maskDelta) >>> 0;
}

const blockBytes = 32 * 1024;
const headerBytes = 7;
const types = { zero: 0, full: 1, first: 2, middle: 3, last: 4 } as const;

/** A whole record of a log and where it begins. */
interface LogRecord {
  readonly offset: number;
  readonly bytes: Buffer;
}

/** A place of a log that holds no record. */
interface LogFault {
  readonly offset: number;
  readonly reason: 'checksum' | 'length' | 'type' | 'fragment' | 'zeros';
}

/** The content of a log, in the order of the offsets. */
interface LogReading {
  readonly records: readonly LogRecord[];
  readonly faults: readonly LogFault[];
}

interface Fragment {
  readonly type: number;
  readonly bytes: Buffer;
}

/**
 * Reads a log or manifest of LevelDB: blocks of 32 KiB with records in one or several fragments. Each fragment is behind its
 * masked CRC-32C (4 bytes), length (2) and type (1). It goes on behind a fault at the same places as LevelDB does, so it finds
 * the records that LevelDB would find. A record that the end of the file cuts is neither record nor fault: a crash leaves such a
 * tail.
 */
export function readLog(file: Buffer): LogReading {
  const records: LogRecord[] = [];
  const faults: LogFault[] = [];
  let open: { readonly offset: number; readonly parts: Buffer[] } | null = null;
  const fault = (offset: number, reason: LogFault['reason']) => {
    faults.push({ offset, reason });
    open = null;
  };
  const take = (offset: number, { type, bytes }: Fragment) => {
    if (type === types.full || type === types.first) {
      if (open?.parts.some((part) => part.length > 0)) fault(open.offset, 'fragment');
      open = type === types.first ? { offset, parts: [bytes] } : null;
      if (type === types.full) records.push({ offset, bytes });
    } else if (type !== types.middle && type !== types.last) {
      fault(offset, 'type');
    } else if (open === null) {
      fault(offset, 'fragment');
    } else {
      open.parts.push(bytes);
      if (type === types.middle) return;
      records.push({ offset: open.offset, bytes: Buffer.concat(open.parts) });
      open = null;
    }
  };
  for (let start = 0; start < file.length; start += blockBytes) {
    const block = file.subarray(start, start + blockBytes);
    const isLast = start + blockBytes >= file.length && block.length < blockBytes;
    for (let from = 0; from + headerBytes <= block.length; ) {
      const found = fragmentAt(block, from, isLast);
      if (found === 'cut') return { records, faults };
      if (typeof found === 'string') {
        // A wrong length would lead into the middle of nowhere, so the rest of the block is given up.
        fault(start + from, found);
        break;
      }
      take(start + from, found);
      from += headerBytes + found.bytes.length;
    }
  }
  return { records, faults };
}

function fragmentAt(block: Buffer, from: number, isLast: boolean): Fragment | LogFault['reason'] | 'cut' {
  const length = block.readUInt16LE(from + 4);
  const type = block.readUInt8(from + 6);
  const end = from + headerBytes + length;
  if (end > block.length) return isLast ? 'cut' : 'length';
  if (type === types.zero && length === 0) return 'zeros';
  if (block.readUInt32LE(from) !== maskedCrc32c(block.subarray(from + 6, end))) return 'checksum';
  return { type, bytes: block.subarray(from + headerBytes, end) };
}

/** A table as a manifest names it. */
interface NamedTable {
  readonly bytes: number;
  /** The first key in it. */
  readonly smallest: Buffer;
}

/** The result of the records of a manifest. */
export interface StoreVersion {
  /** Logs of a smaller number are in the tables already. */
  readonly logNumber: number;
  readonly previousLogNumber: number;
  /** The tables by their numbers. */
  readonly tables: ReadonlyMap<number, NamedTable>;
}

/** In the files of LevelDB, a number of this many bytes is behind each key. */
const keySuffixBytes = 8;

/**
 * The version that a manifest's records lead to, one change after the other. Throws `RangeError` for a record that is not a
 * change.
 */
export function storeVersionOf(records: readonly Buffer[]): StoreVersion {
  let logNumber = 0;
  let previousLogNumber = 0;
  const tables = new Map<number, NamedTable>();
  // A record may drop a table and name it again on another level.
  for (const record of records) {
    const added = new Map<number, NamedTable>();
    const cursor = new ByteCursor(record);
    while (!cursor.isAtEnd) {
      const tag = cursor.varint();
      if (tag === 1) cursor.text();
      else if (tag === 2) logNumber = cursor.varint();
      else if (tag === 9) previousLogNumber = cursor.varint();
      else if (tag === 3 || tag === 4) cursor.varint();
      else if (tag === 5) {
        cursor.varint();
        cursor.text();
      } else if (tag === 6) {
        cursor.varint();
        tables.delete(cursor.varint());
      } else if (tag === 7) {
        cursor.varint();
        const number = cursor.varint();
        const bytes = cursor.varint();
        added.set(number, { bytes, smallest: cursor.text().subarray(0, -keySuffixBytes) });
        cursor.text();
      } else throw new RangeError(`a change of the kind ${tag} is unknown`);
    }
    for (const [number, table] of added) tables.set(number, table);
  }
  return { logNumber, previousLogNumber, tables };
}

/** Expands a block in Snappy's raw format (format_description.txt of its authors). Throws `RangeError` for any other format. */
function snappyExpanded(packed: Buffer): Buffer {
  const cursor = new ByteCursor(packed);
  const expanded = Buffer.alloc(checkedLength(cursor.varint(), packed));
  let filled = 0;
  const room = (length: number) => {
    if (filled + length > expanded.length) throw new RangeError('more bytes than were announced');
  };
  while (!cursor.isAtEnd) {
    const tag = cursor.take(1).readUInt8();
    if ((tag & 3) === 0) {
      const short = tag >>> 2;
      const length = 1 + (short < 60 ? short : littleEndian(cursor, short - 59));
      room(length);
      cursor.take(length).copy(expanded, filled);
      filled += length;
      continue;
    }
    const [length, distance] = copyOf(cursor, tag);
    room(length);
    if (distance === 0 || distance > filled) throw new RangeError('a copy of what is not there');
    // Source and target may overlap: what was just written is read again.
    for (let left = length; left > 0; left -= 1, filled += 1) expanded[filled] = expanded[filled - distance] ?? 0;
  }
  if (filled !== expanded.length) throw new RangeError('fewer bytes than were announced');
  return expanded;
}

// No element makes more than 64 bytes of two.
function checkedLength(length: number, packed: Buffer): number {
  if (length > packed.length * 32) throw new RangeError('more bytes are announced than there can be');
  return length;
}

function copyOf(cursor: ByteCursor, tag: number): [length: number, distance: number] {
  if ((tag & 3) === 1) return [4 + ((tag >>> 2) & 7), ((tag >>> 5) << 8) | littleEndian(cursor, 1)];
  return [1 + (tag >>> 2), littleEndian(cursor, (tag & 3) === 2 ? 2 : 4)];
}

const littleEndian = (cursor: ByteCursor, bytes: number): number => cursor.take(bytes).readUIntLE(0, bytes);

const footerBytes = 48;
const trailerBytes = 5;
// The end of every table, as two little-endian words.
const magic = Buffer.from('57fb808b247547db', 'hex');

/** The place of a block in its table; its type and checksum follow in five more bytes. */
interface BlockHandle {
  readonly offset: number;
  readonly size: number;
}

/** The first thing in a table that is not as it was written. */
export class TableFault extends Error {
  readonly offset: number;
  constructor(offset: number, message: string) {
    super(message);
    this.name = 'TableFault';
    this.offset = offset;
  }
}

/**
 * Checks every byte of a table of LevelDB, which LevelDB itself does not. One wrong bit in its index or filter can hide rows, and
 * one in a block can end the process. Throws `TableFault`.
 */
export function checkTable(table: Buffer, bytes: number): void {
  if (table.length !== bytes)
    throw new TableFault(Math.min(table.length, bytes), `${table.length} bytes, not ${bytes}`);
  const start = bytes - footerBytes;
  if (start < 0) throw new TableFault(0, 'no room for a footer');
  const footer = table.subarray(start);
  if (!footer.subarray(-magic.length).equals(magic)) throw new TableFault(start, 'the footer is not one of a table');
  const [meta, index] = parsed(start, () => {
    const cursor = new ByteCursor(footer);
    return [handleFrom(cursor), handleFrom(cursor)] as const;
  });
  // The names of the first lead to filters, the keys of the second to rows.
  for (const handle of [...handlesIn(table, meta), ...handlesIn(table, index)]) checkedBlock(table, handle);
}

/** The blocks of a table that hold its rows, expanded: each value is whole in one of them. Throws `TableFault`. */
export function rowBlocksOf(table: Buffer): Buffer[] {
  const footer = new ByteCursor(table.subarray(-footerBytes));
  return parsed(table.length - footerBytes, () => {
    handleFrom(footer);
    return handlesIn(table, handleFrom(footer)).map((handle) => contentOf(table, handle));
  });
}

function handlesIn(table: Buffer, handle: BlockHandle): BlockHandle[] {
  const block = contentOf(table, handle);
  return parsed(handle.offset, () => {
    const restarts = block.readUInt32LE(block.length - 4);
    const cursor = new ByteCursor(block.subarray(0, block.length - 4 - 4 * restarts));
    const handles: BlockHandle[] = [];
    while (!cursor.isAtEnd) {
      // How much of the key before is shared does not matter here.
      cursor.varint();
      const [own, length] = [cursor.varint(), cursor.varint()];
      cursor.take(own);
      handles.push(handleFrom(new ByteCursor(cursor.take(length))));
    }
    return handles;
  });
}

/** A block and its type, once it is known to be what was written. */
function checkedBlock(table: Buffer, { offset, size }: BlockHandle): Buffer {
  if (offset + size + trailerBytes > table.length) throw new TableFault(offset, 'a block ends behind its table');
  const checked = table.subarray(offset, offset + size + 1);
  if (table.readUInt32LE(offset + size + 1) !== maskedCrc32c(checked)) {
    throw new TableFault(offset, 'a block fails its checksum');
  }
  return checked;
}

function contentOf(table: Buffer, handle: BlockHandle): Buffer {
  const checked = checkedBlock(table, handle);
  const content = checked.subarray(0, handle.size);
  return checked[handle.size] === 1 ? parsed(handle.offset, () => snappyExpanded(content)) : content;
}

const handleFrom = (cursor: ByteCursor): BlockHandle => ({ offset: cursor.varint(), size: cursor.varint() });

function parsed<Value>(offset: number, parse: () => Value): Value {
  try {
    return parse();
  } catch (error) {
    if (error instanceof RangeError) throw new TableFault(offset, `a block cannot be read: ${error.message}`);
    throw error;
  }
}
