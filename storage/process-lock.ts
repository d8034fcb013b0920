import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isLocked } from './ledger/ledger.ts';
import { makeFolder } from './objects/durable-file.ts';
import { systemRefusal } from './system-refusal.ts';

/** A lock of one process. The system ends it with the process, also by kill -9, and keeps it while the process is stopped. */
export interface ProcessLock {
  close(): Promise<void>;
}

/** The file that LevelDB locks. It is never removed: another process may hold a lock on it, which the next one would not see. */
const lockedFile = 'LOCK';

/**
 * Takes the lock in a folder, which is made for its owner alone; null while another holds it, in this process or in another one.
 * Node has no call for a lock of the system; LevelDB takes one (fcntl). A file with the id of a process would stay behind after a
 * kill, and such an id means nothing in another container. Throws the error of the file system or of LevelDB.
 */
export async function takeLock(folder: string): Promise<ProcessLock | null> {
  await makeFolder(folder);
  try {
    return await opened(folder);
  } catch (error) {
    if (systemRefusal(error) !== null) throw error;
    // A loss of power may have left a store that LevelDB refuses. The lock is on one file of it alone.
    for (const name of await readdir(folder)) {
      if (name !== lockedFile) await rm(join(folder, name), { recursive: true, force: true });
    }
    return opened(folder);
  }
}

async function opened(folder: string): Promise<ProcessLock | null> {
  // A native module; commands that only read small files never lock one.
  const { ClassicLevel } = await import('classic-level');
  const lock = new ClassicLevel(folder);
  const mask = process.umask(0o077);
  try {
    await lock.open();
    return lock;
  } catch (error) {
    if (isLocked(error)) return null;
    throw error;
  } finally {
    process.umask(mask);
  }
}
