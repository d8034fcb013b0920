// @ts-check
// tsx runs what it finds in a cache below the system's folder for temporary files, under a name that any user can guess.
import { lstatSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * True if the cache of tsx belongs to this user and only this user can write to it. Makes the folder if it is missing, so
 * that no other user can make it later.
 *
 * @param {string} [folder]
 */
export function ownsCompileCache(folder = join(tmpdir(), `tsx-${process.geteuid?.() ?? ''}`)) {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch {
    // The folder may exist already; the check below decides.
  }
  const found = lstatSync(folder, { throwIfNoEntry: false });
  return found?.isDirectory() === true && found.uid === process.geteuid?.() && (found.mode & 0o022) === 0;
}
