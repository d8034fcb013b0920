import { ByteCursor } from './byte-cursor.ts';
import { maskedCrc32c } from './crc32c.ts';
import { snappyExpanded } from './snappy.ts';

const footerBytes = 48;
const trailerBytes = 5;
// The end of every table, as two little-endian words.
const magic = Buffer.from('57fb808b247547db', 'hex');

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
 * Checks every byte of a table of LevelDB, which LevelDB itself does not: one wrong bit in its index or filter can hide rows,
 * and one in a block can end the process. Throws `TableFault`.
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
