// @ts-check
// The table of the language identifier, in the form in which a built program reads it. As a script of 1.6 MB it takes the
// detector process a fifth of a second to compile, each time that one starts, and as JSON half of that. A text asks for a few
// hundred of its 81,206 rows: so the rows are sorted lines, and only those that are asked for are parsed.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { brotliCompressSync } from 'node:zlib';

/** The module of the bundle that stands for the script with the table. A row that was found is kept; there are only so many. */
export const reader = `import { readFileSync } from 'node:fs';
import { brotliDecompressSync } from 'node:zlib';
const file = new URL('language-table/ngrams.txt.br', import.meta.url);
const rows = brotliDecompressSync(readFileSync(file)).toString('utf8').split('\\n');
const others = JSON.parse(rows.pop());
const known = new Map();
function found(ngram) {
  const start = ngram + '\\t';
  let [from, to] = [0, rows.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (rows[middle] < start) from = middle + 1;
    else to = middle;
  }
  if (!rows[from]?.startsWith(start)) return undefined;
  const row = JSON.parse(rows[from].slice(start.length));
  known.set(ngram, row);
  return row;
}
const ngrams = new Proxy({}, { get: (_, ngram) => known.get(ngram) ?? found(ngram) });
export const ngramsData = { ...others, ngrams };
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
  const { ngrams, ...others } = (await import(pathToFileURL(script).href)).ngramsData;
  const rows = Object.entries(ngrams).map(([ngram, row]) => `${ngram}\t${JSON.stringify(row)}`);
  const { name, version } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'));
  const digest = `sha256:${createHash('sha256').update(readFileSync(script)).digest('hex')}`;
  mkdirSync(target, { recursive: true });
  writeFileSync(join(target, 'ngrams.txt.br'), brotliCompressSync([...rows.sort(), JSON.stringify(others)].join('\n')));
  writeFileSync(join(target, 'identity.json'), JSON.stringify({ name, version, digest }));
}
