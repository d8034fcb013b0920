import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Report, report } from './report.ts';

/** Two checkouts measured row by row in turn, so that other work on the machine meets both. */

const here = fileURLToPath(new URL('..', import.meta.url));

// Benchmarks were tests once.
const benchIn = (checkout: string): string | undefined =>
  ['bench/run.ts', 'test/bench/run.ts'].find((path) => existsSync(join(checkout, path)));

/** The figures of one row of a checkout; null if that checkout cannot measure it. */
async function measured(checkout: string, row: string): Promise<Report['rows'][number]['figures'] | null> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-'));
  try {
    const file = join(folder, 'report.json');
    const args = ['--import', 'tsx', benchIn(checkout) ?? '', '--only', row, '--json', file];
    const { status } = spawnSync(process.execPath, args, { cwd: checkout, stdio: ['ignore', 'ignore', 'inherit'] });
    if (status !== 0) return null;
    return report.parse(JSON.parse(await readFile(file, 'utf8'))).rows.flatMap(({ figures }) => figures);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Measures rows in this checkout and in another one, which must be installed and built: `other` is its folder. Returns a table in
 * Markdown; a figure that only one of them has gets a dash for the other. Throws if `other` has no benchmarks.
 */
export async function tableBeside(other: string, rows: readonly string[]): Promise<string> {
  if (benchIn(other) === undefined) throw new Error(`${other} has no benchmarks; name the folder of a checkout`);
  const lines = ['| figure | there | ratio | here | ratio |', '| --- | --- | --- | --- | --- |'];
  for (const row of rows) {
    const there = await measured(other, row);
    const own = await measured(here, row);
    const names = new Set([...(own ?? []), ...(there ?? [])].map(({ figure }) => figure));
    for (const name of names) {
      const cells = [there, own].flatMap((figures) => {
        const found = figures?.find(({ figure }) => figure === name);
        return [found?.measured ?? '-', found?.ratio?.toFixed(2) ?? '-'];
      });
      lines.push(`| ${[name, ...cells].join(' | ')} |`);
    }
  }
  return lines.join('\n');
}
