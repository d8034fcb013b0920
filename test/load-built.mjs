// @ts-check
// Loaded into each test process. AVA asks for a test file by `require`; it is answered with the bundle of the file.
import { readFileSync } from 'node:fs';
import { createRequire, SourceMap } from 'node:module';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { builtTest } from '../scripts/build-tests.mjs';
import { keepToTier } from './tiers.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

createRequire(import.meta.url).extensions['.ts'] = (module, path) => {
  keepToTier(relative(root, path));
  module.exports = import(builtTest(path));
};

// AVA makes Node read the source map of each loaded file, hundreds in most processes. Here a map is read when a stack
// names its file.
process.setSourceMapsEnabled(false);

/** @type {Map<string, SourceMap | null>} */
const maps = new Map();

/** @param {string} url */
function mapOf(url) {
  const known = maps.get(url);
  if (known !== undefined) return known;
  const map = readMap(new URL(`${url}.map`));
  maps.set(url, map);
  return map;
}

/**
 * Null if it cannot be read, as in a process that has used up its descriptors.
 *
 * @param {URL} file
 */
function readMap(file) {
  try {
    return new SourceMap(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return null;
  }
}

/**
 * A line of a stack with the source in place of the built file.
 *
 * @param {string} frame
 */
const inSource = (frame) =>
  frame.replace(/(file:\/\/[^():]+\/build-tests\/[^():]+):(\d+):(\d+)/, (built, url, line, column) => {
    const entry = mapOf(url)?.findEntry(Number(line) - 1, Number(column) - 1);
    if (entry === undefined || !('originalSource' in entry)) return built;
    return `${fileURLToPath(new URL(entry.originalSource, url))}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
  });

Error.prepareStackTrace = (error, frames) =>
  [Error.prototype.toString.call(error), ...frames.map((frame) => `    at ${inSource(String(frame))}`)].join('\n');
