import { createHash } from 'node:crypto';
import { closeSync, constants, fsync, open as openFile, openSync, writeFile } from 'node:fs';
import { lstat, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { promisify } from 'node:util';
import { failedWith } from './object-store-error.ts';

// Bare descriptors: opening and closing a folder or file that was just used costs less than a trip to the thread pool.
const openDescriptor = promisify(openFile);
const writeDescriptor = promisify(writeFile);
const syncDescriptor = promisify(fsync);

/** The most bytes in a name of a file: NAME_MAX of Linux, macOS and their usual file systems. */
export const longestFileName = 255;

/** The kind of the entry at a path itself, without following a link. */
export async function kindOf(path: string): Promise<'folder' | 'file' | 'other' | 'missing'> {
  try {
    const found = await lstat(path);
    if (found.isDirectory()) return 'folder';
    return found.isFile() ? 'file' : 'other';
  } catch (error) {
    if (failedWith(error, 'ENOENT')) return 'missing';
    throw error;
  }
}

/** Only the owner may read, write and enter. */
export const privateFolder = 0o700;
/** Only the owner may read and write. */
export const privateFile = 0o600;

/**
 * After this a loss of power undoes no entry that was made, renamed or removed in the folder before the call. The contents of the
 * files are not synced.
 */
export async function syncFolder(path: string): Promise<void> {
  const descriptor = openSync(path, 'r');
  try {
    await syncDescriptor(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * The same for a folder that a person chose for a file. Some file systems, such as those of SMB, have no sync of folders, and a folder
 * may be closed to readers. The file counts as written then.
 */
export async function syncChosenFolder(path: string): Promise<void> {
  try {
    await syncFolder(path);
  } catch (error) {
    if (!failedWith(error, 'EINVAL', 'ENOTSUP', 'EBADF', 'EACCES', 'EPERM')) throw error;
  }
}

/**
 * Makes a folder and the parents it lacks; the entries it made survive a loss of power. Each is made by a call of its own:
 * Node's recursive `mkdir` never returns where a file system such as `/proc` takes no folder.
 */
export async function makeFolder(path: string): Promise<void> {
  const lacking: string[] = [];
  for (let folder = resolve(path); !(await isFolder(folder)); folder = dirname(folder)) lacking.unshift(folder);
  for (const folder of lacking) {
    await mkdir(folder, privateFolder).catch(async (error: unknown) => {
      // Another process may have made it in between.
      if (!failedWith(error, 'EEXIST') || !(await stat(folder)).isDirectory()) throw error;
    });
    await syncFolder(dirname(folder));
  }
}

/** Makes those of the folders that their parent lacks; the entries of all of them survive a loss of power. */
export async function makeFoldersIn(parent: string, folders: readonly string[]): Promise<void> {
  await makeFolder(parent);
  for (const folder of folders) {
    await mkdir(folder, privateFolder).catch(async (error: unknown) => {
      if (!failedWith(error, 'EEXIST') || !(await stat(folder)).isDirectory()) throw error;
    });
  }
  // Also for what was there: an earlier process may have ended before its sync.
  await syncFolder(parent);
}

async function isFolder(path: string): Promise<boolean> {
  try {
    if ((await stat(path)).isDirectory()) return true;
  } catch (error) {
    if (failedWith(error, 'ENOENT')) return false;
    throw error;
  }
  throw new Error(`${path} is not a folder`);
}

/** A new file whose bytes survive a loss of power; its entry in the folder may not. Rejects when it exists. */
export async function writeSyncedFile(path: string, bytes: Uint8Array): Promise<void> {
  const descriptor = await openDescriptor(path, 'wx', privateFile);
  try {
    await writeDescriptor(descriptor, bytes);
    await syncDescriptor(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Makes a finished file survive a loss of power, for its owner alone, and returns its id and size. Rejects for anything but a
 * file.
 */
export async function hashSynced(path: string): Promise<{ contentId: string; bytes: number }> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    if (!(await handle.stat()).isFile()) throw new Error(`${path} is not a file`);
    const hash = createHash('sha256');
    let bytes = 0;
    for await (const chunk of handle.createReadStream({ autoClose: false })) {
      hash.update(chunk);
      bytes += chunk.length;
    }
    await handle.chmod(privateFile).catch(async (error: unknown) => {
      // A file system with one mode for all files may refuse it, although others cannot read them.
      if (((await handle.stat()).mode & 0o077) !== 0) throw error;
    });
    await handle.sync();
    return { contentId: `sha256:${hash.digest('hex')}`, bytes };
  } finally {
    await handle.close();
  }
}

/** Puts the bytes of a finished file on the disk. */
export async function syncFile(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Moves a file so that a loss of power leaves it in the new place or, before this resolves, in the old one. */
export async function moveDurably(from: string, to: string): Promise<void> {
  await rename(from, to);
  await syncFolder(dirname(to));
  await syncFolder(dirname(from));
}

/**
 * Replaces a file, whole or not at all, for its owner alone; on disk when it resolves. Only one process may do this at a time: a
 * `draft` that is there was left by one that was killed. `sync` is for the folder.
 */
export async function replaceDurably(
  path: string,
  bytes: Uint8Array,
  { draft = `${path}.new`, sync = syncFolder } = {},
): Promise<void> {
  try {
    await rm(draft, { force: true });
    await writeSyncedFile(draft, bytes);
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  await sync(dirname(path));
}
