// @ts-check
// The table of the language identifier, as the built detector loads it.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * Bundles the table as text for `JSON.parse`. Its package has it as an object literal of 1.6 MB with 81,000 entries, which Node takes
 * 0.3 s of CPU to read; the text takes a third of that, and gives the same object.
 *
 * @type {import('esbuild').Plugin}
 */
export const languageTable = {
  name: 'language-table',
  setup: (build) => {
    build.onLoad({ filter: /[\\/]eld[\\/]src[\\/]ngrams[\\/]small\.js$/ }, async ({ path }) => {
      const { ngramsData } = await import(pathToFileURL(path).href);
      const text = JSON.stringify(JSON.stringify(ngramsData));
      return { contents: `export const ngramsData = JSON.parse(${text});`, loader: 'js' };
    });
  },
};

/**
 * Writes who decides on languages in the built program: the version of the identifier, and the digest of the table of its package.
 *
 * @param {string} root
 * @param {string} folder
 */
export function writeLanguageTool(root, folder) {
  const source = join(root, 'node_modules', 'eld');
  const { version } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'));
  const table = readFileSync(join(source, 'src', 'ngrams', 'small.js'));
  const digest = `sha256:${createHash('sha256').update(table).digest('hex')}`;
  writeFileSync(join(folder, 'language-tool.json'), `${JSON.stringify({ version, digest })}\n`);
}
