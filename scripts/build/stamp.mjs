// @ts-check
// Says whether the built program was made from the sources as they are now. Files are compared by path, size and time of
// change; their content is not read, so that a start pays milliseconds for the question.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Sources of the program: the floors, the build itself, and the bundled packages by way of the lock file. */
export const programParts = [
  'actors',
  'cli',
  'client',
  'console',
  'contract',
  'executors',
  'features',
  'formats',
  'http',
  'kinds',
  'machines',
  'options',
  'receipts',
  'rules',
  'storage',
  'scripts',
  'visualizer',
  'package-lock.json',
];

/** Sources of the tests. */
export const testParts = [...programParts, 'bench', 'fixtures', 'lab', 'test'];

/** @param {string} folder */
const fileIn = (folder) => join(folder, '.built-from');

/**
 * Stands for these parts of the repository at `root`.
 *
 * @param {string} root
 * @param {readonly string[]} parts
 */
export function stampOf(root, parts) {
  const hash = createHash('sha256');
  for (const part of parts) {
    for (const path of filesBelow(join(root, part))) {
      const { size, mtimeMs } = statSync(path);
      hash.update(`${path} ${size} ${mtimeMs}\n`);
    }
  }
  return hash.digest('hex');
}

/**
 * The stamp that was noted in a folder, or null.
 *
 * @param {string} folder
 */
export function readStamp(folder) {
  try {
    return readFileSync(fileIn(folder), 'utf8');
  } catch {
    return null;
  }
}

/**
 * @param {string} folder
 * @param {string} stamp
 */
export const writeStamp = (folder, stamp) => writeFileSync(fileIn(folder), stamp);

/**
 * @param {string} path
 * @returns {string[]}
 */
function filesBelow(path) {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path)
    .sort()
    .flatMap((name) => filesBelow(join(path, name)));
}
