import { ArchiveError } from './archive-error.ts';

/** The unit of a tar archive: a header has one block, content is filled up to whole ones. */
export const blockBytes = 512;

/** The octal field of a header holds no more. */
export const maximumEntryBytes = 0o77777777777;

const at = { size: 124, checksum: 148, type: 156, magic: 257 } as const;
const magic = 'ustar\x0000';
const regularFile = '0';

/** Names of files in plain ASCII without anything that leads elsewhere; 100 bytes are all that a header has for them. */
const safeName = /^(?=.{1,100}$)[a-z0-9][a-z0-9._-]*(?:\/[a-z0-9][a-z0-9._-]*)*$/;

export interface HeaderFields {
  readonly name: string;
  readonly bytes: number;
}

const octal = (value: number, width: number): string => `${value.toString(8).padStart(width - 1, '0')}\0`;

/** The sum of all bytes of a header, its own field taken as spaces. */
function checksumOf(header: Buffer): number {
  let sum = 0;
  for (const [index, byte] of header.entries()) {
    sum += index >= at.checksum && index < at.checksum + 8 ? 0x20 : byte;
  }
  return sum;
}

/**
 * The one header that an entry can have: POSIX ustar, a regular file without an owner, of the beginning of time. Throws `RangeError`
 * for a name or a size that it cannot state.
 */
export function ustarHeader({ name, bytes }: HeaderFields): Buffer {
  if (!safeName.test(name)) throw new RangeError(`${name} is no name of an entry`);
  if (!Number.isSafeInteger(bytes) || bytes < 0 || bytes > maximumEntryBytes) {
    throw new RangeError(`an entry cannot have ${bytes} bytes`);
  }
  const header = Buffer.alloc(blockBytes);
  header.write(name, 0, 'latin1');
  header.write(octal(0o644, 8) + octal(0, 8) + octal(0, 8) + octal(bytes, 12) + octal(0, 12), 100, 'latin1');
  header.write(regularFile, at.type, 'latin1');
  header.write(magic, at.magic, 'latin1');
  header.write(octal(0, 8) + octal(0, 8), 329, 'latin1');
  header.write(`${octal(checksumOf(header), 7)} `, at.checksum, 'latin1');
  return header;
}

const textAt = (header: Buffer, from: number, length: number): string =>
  header.toString('latin1', from, from + length).replace(/\0[\s\S]*$/, '');

/** Reads a header back, which has to be the one that its name and its size have. Throws `ArchiveError`. */
export function readHeader(header: Buffer, position: number): HeaderFields {
  const where = `at byte ${position}`;
  if (textAt(header, at.magic, 6) !== 'ustar') throw new ArchiveError('archive_not_ustar', where);
  if (Number.parseInt(textAt(header, at.checksum, 8), 8) !== checksumOf(header)) {
    throw new ArchiveError('archive_header_damaged', where);
  }
  const name = textAt(header, 0, 100);
  if (textAt(header, at.type, 1) !== regularFile) throw new ArchiveError('archive_entry_not_a_file', where);
  if (!safeName.test(name)) throw new ArchiveError('archive_path_unsafe', where);
  const size = textAt(header, at.size, 12);
  const bytes = /^[0-7]{11}$/.test(size) ? Number.parseInt(size, 8) : -1;
  if (bytes < 0 || !ustarHeader({ name, bytes }).equals(header)) {
    throw new ArchiveError('archive_header_not_canonical', `${name}, ${where}`);
  }
  return { name, bytes };
}
