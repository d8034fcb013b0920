// @ts-check
import { existsSync, renameSync, rmSync } from 'node:fs';
import { readStamp, stampOf, writeStamp } from './stamp.mjs';

/**
 * Brings a built folder up to date with the parts of the repository that it is made from, and leaves it alone while it
 * is. The old folder is replaced as a whole: who reads beside this build finds either the old one or the new one.
 *
 * @param {{ root: string, folder: string, parts: readonly string[] }} what
 * @param {(fresh: string) => Promise<void>} make writes the new content into the folder that it is given
 */
export async function bringUpToDate({ root, folder, parts }, make) {
  const stamp = stampOf(root, parts);
  if (readStamp(folder) === stamp) return;
  const fresh = `${folder}.${process.pid}`;
  await make(fresh);
  writeStamp(fresh, stamp);
  replaceFolder(folder, fresh);
}

/**
 * Puts one folder in the place of another. A second build beside this one may do the same; the last one stays.
 *
 * @param {string} folder
 * @param {string} fresh
 */
function replaceFolder(folder, fresh) {
  const old = `${fresh}.old`;
  if (existsSync(folder)) renameSync(folder, old);
  renameSync(fresh, folder);
  rmSync(old, { recursive: true, force: true });
}
