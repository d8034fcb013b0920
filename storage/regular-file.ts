import { createHash } from 'node:crypto';
import { type BigIntStats, constants, fstatSync } from 'node:fs';
import { type FileHandle, lstat, open } from 'node:fs/promises';
import { failedWith, storageFault } from './vault-error.ts';

const blockBytes = 512 * 1024;

export interface RegularFile {
  readonly handle: FileHandle;
  /** Device, inode, size, mtime and ctime (ns): while they stay the same, so do the bytes. */
  readonly identity: string;
  readonly bytes: number;
}

/**
 * The identity of an opened file. While a file is open the system keeps what is asked here in memory: asking at once costs
 * a microsecond, asking by way of the thread pool twenty.
 */
export const identityOf = (handle: FileHandle): string => identity(statOf(handle));

const statOf = (handle: FileHandle): BigIntStats => fstatSync(handle.fd, { bigint: true });

const identity = ({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string =>
  `${dev}:${ino}:${size}:${mtimeNs}:${ctimeNs}`;

/** The identity of the regular file at a path, or null for anything else. Throws `storage_fault`. */
export async function identityAt(path: string): Promise<string | null> {
  try {
    const found = await lstat(path, { bigint: true });
    return found.isFile() ? identity(found) : null;
  } catch (error) {
    if (failedWith(error, 'ENOENT', 'ENOTDIR')) return null;
    throw storageFault(error, path);
  }
}

/**
 * Opens a file for reading when it is a regular file itself; a link, folder, pipe or socket is `irregular`. The caller
 * closes the handle. Throws `storage_fault`.
 */
export async function openRegular(path: string): Promise<RegularFile | 'missing' | 'irregular'> {
  try {
    // Without O_NONBLOCK a pipe without a writer would hold the open forever.
    const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const found = statOf(handle);
      if (found.isFile()) return { handle, identity: identity(found), bytes: Number(found.size) };
    } catch (error) {
      await handle.close();
      throw error;
    }
    await handle.close();
    return 'irregular';
  } catch (error) {
    if (failedWith(error, 'ENOENT', 'ENOTDIR')) return 'missing';
    if (failedWith(error, 'ELOOP', 'ENXIO')) return 'irregular';
    throw storageFault(error, path);
  }
}

/** `sha256:` and hex over all bytes of an opened file, in memory of two blocks: one is read while one is hashed. */
export async function hashFile(handle: FileHandle): Promise<string> {
  const hash = createHash('sha256');
  let [reading, hashing] = [Buffer.allocUnsafe(blockBytes), Buffer.allocUnsafe(blockBytes)];
  let position = 0;
  let { bytesRead } = await handle.read(reading, 0, blockBytes, position);
  while (bytesRead > 0) {
    position += bytesRead;
    [reading, hashing] = [hashing, reading];
    const next = handle.read(reading, 0, blockBytes, position);
    hash.update(hashing.subarray(0, bytesRead));
    ({ bytesRead } = await next);
  }
  return `sha256:${hash.digest('hex')}`;
}
