import { maskedCrc32c } from './crc32c.ts';

const blockBytes = 32 * 1024;
const headerBytes = 7;
const types = { zero: 0, full: 1, first: 2, middle: 3, last: 4 } as const;

/** A whole record of a log and where it begins. */
export interface LogRecord {
  readonly offset: number;
  readonly bytes: Buffer;
}

/** A place of a log that holds no record. */
export interface LogFault {
  readonly offset: number;
  readonly reason: 'checksum' | 'length' | 'type' | 'fragment' | 'zeros';
}

/** What a log holds, in the order of the offsets. */
export interface LogReading {
  readonly records: readonly LogRecord[];
  readonly faults: readonly LogFault[];
}

interface Fragment {
  readonly type: number;
  readonly bytes: Buffer;
}

/**
 * Reads a log or manifest of LevelDB: blocks of 32 KiB with records in one or several fragments, each behind its masked
 * CRC-32C (4 bytes), length (2) and type (1). It goes on behind a fault at the same places as LevelDB does, so it finds
 * the records that LevelDB would find. A record that the end of the file cuts is neither record nor fault: a crash leaves
 * such a tail.
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
