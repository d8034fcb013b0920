import { readlink, realpath, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type ProcessLock, takeLock } from '../process-lock.ts';
import { type SystemRefusalCode, systemRefusal } from '../system-refusal.ts';
import { kindOf, makeFolder, replaceDurably, syncChosenFolder } from './durable-file.ts';
import { failedWith, ObjectStoreError } from './object-store-error.ts';
import { openRegular } from './regular-file.ts';

// Files that are read whole, and replaced whole: settings, tokens, and where a host listens.

/** The most bytes of a small file. The settings of a host have a few hundred. */
const smallFileBytes = 1024 * 1024;

/**
 * Reads a small file, through links; null if there is none. It never waits: a pipe, a device, a socket and a folder are refused
 * before anything is read. Throws an error with words for people, and the error of the file system.
 */
export async function readSmallFile(path: string, maximumBytes = smallFileBytes): Promise<Buffer | null> {
  const file = await openRegular(path, 'follow').catch((error: unknown) => {
    throw error instanceof ObjectStoreError && error.cause instanceof Error ? error.cause : error;
  });
  if (file === 'missing') return null;
  if (file === 'irregular') throw new Error('it is not a regular file');
  try {
    if (file.bytes > maximumBytes) throw new Error(`it has ${file.bytes} bytes, and at most ${maximumBytes} are read`);
    return await file.readAll();
  } finally {
    file.close();
  }
}

/**
 * True for a file without content: no bytes, or only NUL and white space. A loss of power leaves such a file if its name reached the disk
 * before its bytes; XFS leaves NUL.
 */
export const isBlank = (bytes: Uint8Array): boolean => /^[\0\s]*$/.test(Buffer.from(bytes).toString('latin1'));

/** The file to which a path leads through symbolic links; also one that is not there yet. */
async function linkedFile(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (!failedWith(error, 'ENOENT')) throw error;
    const next = await readlink(path).catch(() => null);
    return next === null ? path : linkedFile(resolve(dirname(path), next));
  }
}

const draftOf = (file: string): string => join(dirname(file), `.${basename(file)}.draft`);
const lockOf = (file: string): string => join(dirname(file), `.${basename(file)}.lock`);

/** The entries beside a small file that its changes make. */
export const besideSmallFile = (name: string): readonly string[] => [basename(draftOf(name)), basename(lockOf(name))];

/** How long another change may take, and after which time it is looked for again, in ms. A change writes a few bytes. */
const otherChangeMs = 10_000;
const lookMs = 10;

/** Another process changes the same file and has not ended in time. It may be stopped. */
export class SmallFileBusy extends Error {
  /** The cause and the remedy, as a clause behind the name of the file. */
  readonly detail: string;
  constructor(path: string) {
    const detail = `another process has been changing it for ${otherChangeMs / 1000} s; let it end, and try again`;
    super(`${path}: ${detail}`);
    this.name = 'SmallFileBusy';
    this.detail = detail;
  }
}

/** A small file that no other process changes meanwhile. */
export interface HeldSmallFile {
  read(): Promise<Buffer | null>;
  /** Replaces it whole, for its owner alone; on disk when it resolves. */
  replace(bytes: Uint8Array): Promise<void>;
}

/**
 * Changes a small file, one change after the other across all processes. A symbolic link stays, and the file behind it changes. The
 * folder is made for its owner alone if it is not there. Throws `SmallFileBusy`, the errors of `change`, and those of the file system
 * with the path of the file.
 */
export async function changeSmallFile<Result>(
  path: string,
  change: (held: HeldSmallFile) => Promise<Result>,
): Promise<Result> {
  const file = await linkedFile(path);
  const draft = draftOf(file);
  const lock = await locked(file);
  try {
    return await change({
      read: () => readSmallFile(file),
      replace: (bytes) =>
        replaceDurably(file, bytes, { draft, sync: syncChosenFolder }).catch((error: unknown) => {
          throw ofFile(error, file);
        }),
    });
  } finally {
    await lock.close();
  }
}

/** Removes the draft of a change whose process was killed. One that a process is still writing stays. */
export async function removeDraft(path: string): Promise<void> {
  const file = await linkedFile(path);
  const draft = draftOf(file);
  if ((await kindOf(draft)) !== 'file') return;
  const lock = await takeLock(lockOf(file));
  if (lock === null) return;
  try {
    await rm(draft, { force: true });
  } finally {
    await lock.close();
  }
}

async function locked(file: string): Promise<ProcessLock> {
  try {
    await makeFolder(dirname(file));
    for (const end = performance.now() + otherChangeMs; ; await pause(lookMs)) {
      const lock = await takeLock(lockOf(file));
      if (lock !== null) return lock;
      if (performance.now() >= end) break;
    }
  } catch (error) {
    throw ofFile(error, file);
  }
  throw new SmallFileBusy(file);
}

const codes: Readonly<Record<SystemRefusalCode, string>> = {
  storage_full: 'ENOSPC',
  storage_read_only: 'EROFS',
  storage_access_denied: 'EACCES',
  storage_descriptors_exhausted: 'EMFILE',
};

/** The person knows the file, and neither its draft nor its lock. The error of a write has no path, and that of LevelDB no code. */
function ofFile(error: unknown, file: string): unknown {
  const refusal = systemRefusal(error);
  if (!(error instanceof Error)) return error;
  if (refusal !== null && !('syscall' in error)) {
    return Object.assign(new Error(error.message, { cause: error }), {
      code: codes[refusal],
      path: file,
      syscall: 'open',
    });
  }
  return 'code' in error ? Object.assign(error, { path: file }) : error;
}
