// Writes docs/benchmarks.md from a report of `npm run bench -- --json FILE`: `npm run benchmarks -- FILE`.
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { report } from '../bench/report.ts';
import { rows } from '../bench/rows.ts';
import { benchmarksPage } from './docs/benchmarks-page.ts';

const [file] = process.argv.slice(2);
if (file === undefined) {
  process.stderr.write('usage: npm run benchmarks -- FILE, where FILE was written by npm run bench -- --json FILE\n');
  process.exit(2);
}
const page = benchmarksPage(report.parse(JSON.parse(await readFile(file, 'utf8'))), rows);
await writeFile(fileURLToPath(new URL('../docs/benchmarks.md', import.meta.url)), page);
