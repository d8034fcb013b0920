// @ts-check
// tsx runs what it finds in a cache below the system's folder for temporary files, under a name that any user can guess.
import { lstatSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * True if the cache of tsx belongs to this user and only this user can write to it. It is made if there is none, so that it
 * cannot become another user's later.
 *
 * @param {string} [folder]
 */
export function ownsCompileCache(folder = join(tmpdir(), `tsx-${process.geteuid?.() ?? ''}`)) {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch {
    // An existing cache is checked.
  }
  const found = lstatSync(folder, { throwIfNoEntry: false });
  return found?.isDirectory() === true && found.uid === process.geteuid?.() && (found.mode & 0o022) === 0;
}
