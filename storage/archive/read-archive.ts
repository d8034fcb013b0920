import { createHash } from 'node:crypto';
import type { ByteReader } from '../../contract/base/stored-object.ts';
import { paddingAfter } from './archive-bytes.ts';
import { ArchiveError } from './archive-error.ts';
import { blockBytes, type HeaderFields, readHeader } from './ustar-header.ts';

/** A runtime at all its limits has a few hundred. */
const maximumEntries = 10_000;
/** Media of the largest size that an entry can have, and everything else beside it. */
const maximumArchiveBytes = 9 * 1024 ** 3;
const chunkBytes = 1024 * 1024;

/** An entry of an archive: what its bytes hash to, and where they are. */
export interface ArchiveEntry {
  readonly name: string;
  readonly contentId: string;
  readonly bytes: number;
  /** Where the first of its bytes is in the archive. */
  readonly start: number;
}

/** All entries of an archive, by their names, in the order in which they stand. */
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
