import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { machines } from '../machines/catalogue.ts';
import { chartOf } from '../machines/machine-chart.ts';
import { chartFiles, staleFiles, writeFiles } from '../visualizer/drawing/files.ts';
import { StartError } from './failures.ts';
import { type FlagTable, parseFlags, single, toggle } from './options/flags.ts';

const report = (line: string): void => void process.stderr.write(`${line}\n`);

const chartsFlags: FlagTable = {
  check: toggle('lists the drawings that no longer match their machines, and writes nothing'),
  folder: single('DIR', 'docs/charts', 'where the drawings lie'),
};

/** `charts [--check] [--folder path]`: draws every machine, or exits with 1 when a drawing no longer matches. */
async function charts(args: readonly string[]): Promise<void> {
  const given = parseFlags(args, chartsFlags);
  const folder = given.single('folder') ?? fileURLToPath(new URL('../docs/charts', import.meta.url));
  const files = await chartFiles(machines.map(chartOf));
  if (!given.has('check')) {
    await writeFiles(folder, files);
    report(`${files.size} files in ${relative('.', folder)}`);
    return;
  }
  const stale = await staleFiles(folder, files);
  stale.forEach(report);
  if (stale.length > 0)
    throw new StartError(
      'charts_stale',
      'run `npm run charts`, review what changed, and remove what belongs to no machine',
    );
}

try {
  await charts(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof StartError)) throw error;
  report(`${error.code}: ${error.message}`);
  process.exitCode = error.exitCode;
}
