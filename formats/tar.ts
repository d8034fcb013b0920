import { createHash } from 'node:crypto';
import type { ByteReader } from '../contract/base/stored-object.ts';

/** The faults of a file that should be an archive of this program. */
type ArchiveErrorCode =
  | 'archive_not_a_file'
  | 'archive_too_large'
  | 'archive_not_ustar'
  | 'archive_header_damaged'
  | 'archive_header_not_canonical'
  | 'archive_entry_not_a_file'
  | 'archive_path_unsafe'
  | 'archive_entry_repeated'
  | 'archive_too_many_entries'
  | 'archive_padding_not_zero'
  | 'archive_truncated'
  | 'archive_trailing_bytes';

/** The one error of a refused archive. `message` begins with the code; the detail gives the place. */
export class ArchiveError extends Error {
  readonly code: ArchiveErrorCode;
  constructor(
    code: ArchiveErrorCode,
    detail: string,
    /** The place of the header that is wrong, in bytes; null for other faults. */
    readonly position: number | null = null,
  ) {
    super(`${code}: ${detail}`);
    this.name = 'ArchiveError';
    this.code = code;
  }
}

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
  if (!safeName.test(name)) throw new RangeError(`${name} is not the name of an entry`);
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
function readHeader(header: Buffer, position: number): HeaderFields {
  const where = `at byte ${position}`;
  if (textAt(header, at.magic, 6) !== 'ustar') throw new ArchiveError('archive_not_ustar', where, position);
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

/** An entry to be written: its name, and its bytes in memory or from a file. */
export interface ArchivePart {
  readonly name: string;
  readonly content: Uint8Array | ByteReader;
}

interface Segment {
  readonly start: number;
  readonly end: number;
  readonly content: Uint8Array | ByteReader;
}

const lengthOf = (content: Uint8Array | ByteReader): number =>
  content instanceof Uint8Array ? content.byteLength : content.bytes;

/**
 * An archive that is written nowhere: its bytes are put together during the read. The same parts give the same bytes. Closing it
 * closes the files behind it.
 */
export class ArchiveBytes implements ByteReader {
  readonly bytes: number;
  readonly #segments: readonly Segment[];
  readonly #files: readonly ByteReader[];

  /** Throws `RangeError` for a part that no header can state; the files are the caller's to close then. */
  constructor(parts: readonly ArchivePart[]) {
    const segments: Segment[] = [];
    let end = 0;
    const add = (content: Uint8Array | ByteReader): void => {
      const start = end;
      end += lengthOf(content);
      if (end > start) segments.push({ start, end, content });
    };
    for (const { name, content } of parts) {
      const bytes = lengthOf(content);
      add(ustarHeader({ name, bytes }));
      add(content);
      add(Buffer.alloc(paddingAfter(bytes)));
    }
    add(Buffer.alloc(2 * blockBytes));
    this.bytes = end;
    this.#segments = segments;
    this.#files = parts.flatMap(({ content }) => (content instanceof Uint8Array ? [] : [content]));
  }

  async read(target: Uint8Array, position: number): Promise<number> {
    const segment = this.#segments.find(({ end }) => position < end);
    if (segment === undefined) return 0;
    const { start, end, content } = segment;
    const wanted = target.subarray(0, Math.min(target.length, end - position));
    if (!(content instanceof Uint8Array)) return content.read(wanted, position - start);
    wanted.set(content.subarray(position - start, position - start + wanted.length));
    return wanted.length;
  }

  isUnchanged(): boolean {
    return this.#files.every((file) => file.isUnchanged());
  }

  close(): void {
    for (const file of this.#files) file.close();
  }
}

/** How many zeros follow content of this length. */
const paddingAfter = (bytes: number): number => (blockBytes - (bytes % blockBytes)) % blockBytes;

/** A runtime at all its limits has a few hundred. */
const maximumEntries = 10_000;
/** Media of the largest size that an entry can have, and everything else beside it. */
const maximumArchiveBytes = 9 * 1024 ** 3;
const chunkBytes = 1024 * 1024;

/** An entry of an archive: the hash of its bytes, and their place. */
export interface ArchiveEntry {
  readonly name: string;
  readonly contentId: string;
  readonly bytes: number;
  /** The offset of the first of its bytes in the archive. */
  readonly start: number;
}

/** All entries of an archive by their names, in their order. */
export type ArchiveIndex = ReadonlyMap<string, ArchiveEntry>;

const isZero = (bytes: Uint8Array): boolean => bytes.every((byte) => byte === 0);

/** Fills the target from a position on. Throws `archive_truncated` where the file ends before. */
async function readFully(file: ByteReader, target: Buffer, position: number): Promise<Buffer> {
  for (let filled = 0; filled < target.length; ) {
    const count = await file.read(target.subarray(filled), position + filled);
    if (count === 0) throw new ArchiveError('archive_truncated', `at byte ${position + filled}`);
    filled += count;
  }
  return target;
}

async function contentIdOf(file: ByteReader, start: number, bytes: number, buffer: Buffer): Promise<string> {
  const hash = createHash('sha256');
  for (let read = 0; read < bytes; read += buffer.length) {
    const chunk = buffer.subarray(0, Math.min(buffer.length, bytes - read));
    hash.update(await readFully(file, chunk, start + read));
  }
  return `sha256:${hash.digest('hex')}`;
}

/**
 * Reads an archive from its first byte to its last and hashes every entry; memory is bounded by one chunk, and nothing is
 * written. Only archives are taken that this program could have written: anything else that some reader of tar might see in
 * them is refused. `admit` is given each header before a byte behind it is read, and throws for what the caller refuses. Throws
 * `ArchiveError`.
 */
export async function readArchive(
  file: ByteReader,
  admit: (header: HeaderFields) => void = () => undefined,
): Promise<ArchiveIndex> {
  if (file.bytes > maximumArchiveBytes) throw new ArchiveError('archive_too_large', `${file.bytes} bytes`);
  const entries = new Map<string, ArchiveEntry>();
  const buffer = Buffer.allocUnsafe(chunkBytes);
  const block = Buffer.allocUnsafe(blockBytes);
  let position = 0;
  for (;;) {
    await readFully(file, block, position);
    if (isZero(block)) break;
    const header = readHeader(block, position);
    const { name, bytes } = header;
    if (entries.has(name)) throw new ArchiveError('archive_entry_repeated', name);
    if (entries.size === maximumEntries)
      throw new ArchiveError('archive_too_many_entries', `more than ${maximumEntries}`);
    const start = position + blockBytes;
    // Said before the first of them is read: a header may claim what it likes.
    if (start + bytes > file.bytes) throw new ArchiveError('archive_truncated', `${name} claims ${bytes} bytes`);
    admit(header);
    entries.set(name, { name, bytes, start, contentId: await contentIdOf(file, start, bytes, buffer) });
    position = start + bytes;
    const padding = await readFully(file, buffer.subarray(0, paddingAfter(bytes)), position);
    if (!isZero(padding)) throw new ArchiveError('archive_padding_not_zero', `after ${name}`);
    position += padding.length;
  }
  const end = await readFully(file, buffer.subarray(0, blockBytes), position + blockBytes);
  if (!isZero(end) || position + 2 * blockBytes !== file.bytes) {
    throw new ArchiveError('archive_trailing_bytes', `at byte ${position + blockBytes}`);
  }
  return entries;
}

/** All bytes of an entry as they are now. Throws `archive_truncated`. */
export const readEntry = (file: ByteReader, { start, bytes }: ArchiveEntry): Promise<Buffer> =>
  readFully(file, Buffer.alloc(bytes), start);
