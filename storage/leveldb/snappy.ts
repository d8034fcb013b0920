import { ByteCursor } from './byte-cursor.ts';

/** Expands a block in Snappy's raw format (format_description.txt of its authors). Throws `RangeError` when it is none. */
export function snappyExpanded(packed: Buffer): Buffer {
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
