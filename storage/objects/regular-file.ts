import { createHash } from 'node:crypto';
import { type BigIntStats, closeSync, constants, fstatSync, lstatSync, open, openSync, read } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { ByteReader } from '../../contract/base/stored-object.ts';
import { failedWith, ObjectStoreError, storageFault } from './object-store-error.ts';

const blockBytes = 512 * 1024;

const openDescriptor = promisify(open);

const identityOf = ({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string =>
  `${dev}:${ino}:${size}:${mtimeNs}:${ctimeNs}`;

/**
 * A regular file that is open for reading, by a bare descriptor. Asking the system about an open file costs a microsecond, while
 * a trip to the thread pool costs twenty. It fails with `storage_fault`.
 */
export class RegularFile implements ByteReader {
  /** Device, inode, size, mtime and ctime (ns): while they stay the same, so do the bytes. */
  readonly identity: string;
  readonly bytes: number;
  readonly #path: string;
  readonly #descriptor: number;
  #reads = 0;
  #isClosed = false;

  constructor(path: string, descriptor: number, stats: BigIntStats) {
    this.#path = path;
    this.#descriptor = descriptor;
    this.identity = identityOf(stats);
    this.bytes = Number(stats.size);
  }

  async read(target: Uint8Array, position: number): Promise<number> {
    this.#demandOpen();
    this.#reads += 1;
    try {
      return await new Promise((resolve, reject) => {
        read(this.#descriptor, target, 0, target.byteLength, position, (error, bytesRead) => {
          if (error === null) resolve(bytesRead);
          else reject(storageFault(error, this.#path));
        });
      });
    } finally {
      this.#reads -= 1;
      if (this.#isClosed && this.#reads === 0) closeSync(this.#descriptor);
    }
  }

  /** All bytes that the file had when it was opened, or fewer if it has become shorter. */
  async readAll(): Promise<Buffer> {
    const bytes = Buffer.allocUnsafe(this.bytes);
    let filled = 0;
    while (filled < bytes.length) {
      const count = await this.read(bytes.subarray(filled), filled);
      if (count === 0) break;
      filled += count;
    }
    return bytes.subarray(0, filled);
  }

  isUnchanged(): boolean {
    this.#demandOpen();
    return identityOf(statsOf(this.#descriptor, this.#path)) === this.identity;
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    // A number that is given back while it is read from could be another file's by then.
    if (this.#reads === 0) closeSync(this.#descriptor);
  }

  #demandOpen(): void {
    if (this.#isClosed) throw new ObjectStoreError('storage_fault', `${this.#path} is closed`);
  }
}

function statsOf(descriptor: number, path: string): BigIntStats {
  try {
    return fstatSync(descriptor, { bigint: true });
  } catch (error) {
    throw storageFault(error, path);
  }
}

/** The identity of the regular file at a path, or null for anything else. Throws `storage_fault`. */
export async function identityAt(path: string): Promise<string | null> {
  try {
    const found = await lstat(path, { bigint: true });
    return found.isFile() ? identityOf(found) : null;
  } catch (error) {
    if (failedWith(error, 'ENOENT', 'ENOTDIR')) return null;
    throw storageFault(error, path);
  }
}

/**
 * As `identityAt`, in the same turn: a look costs a few microseconds, a trip to the thread pool twenty and more. Undefined if nothing is there, and
 * null where the system refuses.
 */
export function identityNow(path: string): string | null | undefined {
  try {
    const found = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    if (found === undefined) return undefined;
    return found.isFile() ? identityOf(found) : null;
  } catch {
    return null;
  }
}

// Without O_NONBLOCK a pipe without a writer would hold the open forever.
const openFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** As `openRegular`, in the same turn, and null for whatever is not opened: for files that were looked up before. */
export function openNow(path: string): RegularFile | null {
  let file: RegularFile | null = null;
  let descriptor: number | null = null;
  try {
    descriptor = openSync(path, openFlags);
    const stats = statsOf(descriptor, path);
    if (stats.isFile()) file = new RegularFile(path, descriptor, stats);
  } catch {
    // The patient opening reports why.
  }
  if (file === null && descriptor !== null) closeSync(descriptor);
  return file;
}

/**
 * Opens a file for reading when it is a regular file itself. A folder, pipe or socket is `irregular`, and so is a link unless it
 * is followed. The caller closes it. Throws `storage_fault`.
 */
export async function openRegular(
  path: string,
  links: 'refuse' | 'follow' = 'refuse',
): Promise<RegularFile | 'missing' | 'irregular'> {
  try {
    const flags = links === 'follow' ? openFlags & ~constants.O_NOFOLLOW : openFlags;
    const descriptor = await openDescriptor(path, flags);
    let file: RegularFile | null = null;
    try {
      const stats = statsOf(descriptor, path);
      if (stats.isFile()) file = new RegularFile(path, descriptor, stats);
    } finally {
      if (file === null) closeSync(descriptor);
    }
    return file ?? 'irregular';
  } catch (error) {
    if (failedWith(error, 'ENOENT', 'ENOTDIR')) return 'missing';
    if (failedWith(error, 'ELOOP', 'ENXIO')) return 'irregular';
    throw storageFault(error, path);
  }
}

/**
 * `sha256:` and hex over all bytes of an opened file, in memory of two blocks: one is read while one is hashed. `onHashed` is
 * called after each block with its length.
 */
export async function hashFile(
  file: RegularFile,
  onHashed: (bytes: number) => void = () => undefined,
): Promise<string> {
  const hash = createHash('sha256');
  let [reading, hashing] = [Buffer.allocUnsafe(blockBytes), Buffer.allocUnsafe(blockBytes)];
  let position = 0;
  let count = await file.read(reading, position);
  while (count > 0) {
    position += count;
    [reading, hashing] = [hashing, reading];
    const next = file.read(reading, position);
    hash.update(hashing.subarray(0, count));
    onHashed(position);
    count = await next;
  }
  return `sha256:${hash.digest('hex')}`;
}
