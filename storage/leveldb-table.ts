import type { FileHandle } from 'node:fs/promises';
import { ByteCursor } from './byte-cursor.ts';
import { maskedCrc32c } from './crc32c.ts';
import { snappyExpanded } from './snappy.ts';

const footerBytes = 48;
const trailerBytes = 5;
// The end of every table, as two little-endian words.
const magic = Buffer.from('57fb808b247547db', 'hex');
const filterName = 'filter.';

/** Where a block lies in its table; its type and checksum follow in five more bytes. */
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
 * Checks a table of LevelDB as far as LevelDB itself does not: with `structure` its length, footer, index and filter, in
 * which one wrong bit can hide every row of the table; with `whole` every block too. Throws `TableFault`.
 */
export async function checkTable(file: FileHandle, bytes: number, depth: 'structure' | 'whole'): Promise<void> {
  const { size } = await file.stat();
  if (size !== bytes) throw new TableFault(Math.min(size, bytes), `${size} bytes instead of ${bytes}`);
  const start = size - footerBytes;
  if (start < 0) throw new TableFault(0, 'no room for a footer');
  const footer = await bytesAt(file, start, footerBytes);
  if (!footer.subarray(-magic.length).equals(magic)) throw new TableFault(start, 'the footer is not one of a table');
  const [meta, index] = parsed(start, () => {
    const cursor = new ByteCursor(footer);
    return [handleFrom(cursor), handleFrom(cursor)] as const;
  });
  for (const [name, handle] of await entriesOf(file, meta, size)) {
    if (name.toString('latin1').startsWith(filterName)) await blockAt(file, handle, size);
  }
  const blocks = await entriesOf(file, index, size);
  if (depth === 'structure') return;
  for (const [, handle] of blocks) await blockAt(file, handle, size);
}

async function entriesOf(file: FileHandle, handle: BlockHandle, size: number): Promise<[Buffer, BlockHandle][]> {
  const block = await blockAt(file, handle, size);
  return parsed(handle.offset, () => {
    const restarts = block.readUInt32LE(block.length - 4);
    const cursor = new ByteCursor(block.subarray(0, block.length - 4 - 4 * restarts));
    const entries: [Buffer, BlockHandle][] = [];
    let key: Buffer = Buffer.alloc(0);
    while (!cursor.isAtEnd) {
      const [shared, own, length] = [cursor.varint(), cursor.varint(), cursor.varint()];
      key = Buffer.concat([key.subarray(0, shared), cursor.take(own)]);
      entries.push([key, handleFrom(new ByteCursor(cursor.take(length)))]);
    }
    return entries;
  });
}

/** The content of a block, once it is known to be what was written. */
async function blockAt(file: FileHandle, { offset, size }: BlockHandle, fileBytes: number): Promise<Buffer> {
  if (offset + size + trailerBytes > fileBytes) throw new TableFault(offset, 'a block ends behind its table');
  const stored = await bytesAt(file, offset, size + trailerBytes);
  const checked = stored.subarray(0, size + 1);
  if (stored.readUInt32LE(size + 1) !== maskedCrc32c(checked)) {
    throw new TableFault(offset, 'a block fails its checksum');
  }
  const content = checked.subarray(0, size);
  return checked[size] === 1 ? parsed(offset, () => snappyExpanded(content)) : content;
}

async function bytesAt(file: FileHandle, offset: number, length: number): Promise<Buffer> {
  const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, offset);
  if (bytesRead !== length) throw new TableFault(offset, 'the table ends too early');
  return buffer;
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
