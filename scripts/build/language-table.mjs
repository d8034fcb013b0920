// @ts-check
// The table of the language identifier, in the form in which a built program reads it. As a script of 1.6 MB it takes the
// detector process a fifth of a second to compile, each time that one starts; as JSON a tenth of that.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { brotliCompressSync } from 'node:zlib';

/** The module of the bundle that stands for the script with the table. */
const reader = `import { readFileSync } from 'node:fs';
import { brotliDecompressSync } from 'node:zlib';
const file = new URL('language-table/ngrams.json.br', import.meta.url);
export const ngramsData = JSON.parse(brotliDecompressSync(readFileSync(file)).toString('utf8'));
`;

/**
 * Has a bundle that takes in the identifier read its table from `language-table/`, beside the bundle.
 *
 * @type {import('esbuild').Plugin}
 */
export const languageTableReader = {
  name: 'language-table',
  setup: ({ onLoad }) => {
    onLoad({ filter: /[\\/]eld[\\/]src[\\/]ngrams[\\/]small\.js$/ }, () => ({ loader: 'js', contents: reader }));
  },
};

/**
 * Writes the table, and the identity of the tool: the version of the package and the digest of its script.
 *
 * @param {string} root
 * @param {string} folder of the built program
 */
export async function writeLanguageTable(root, folder) {
  const source = join(root, 'node_modules', 'eld');
  const target = join(folder, 'language-table');
  const script = join(source, 'src', 'ngrams', 'small.js');
  const { ngramsData } = await import(pathToFileURL(script).href);
  const { name, version } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'));
  const digest = `sha256:${createHash('sha256').update(readFileSync(script)).digest('hex')}`;
  mkdirSync(target, { recursive: true });
  writeFileSync(join(target, 'ngrams.json.br'), brotliCompressSync(JSON.stringify(ngramsData)));
  writeFileSync(join(target, 'identity.json'), JSON.stringify({ name, version, digest }));
}
