import { writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, loadavg } from 'node:os';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { chooseListener } from '../http/listener/choose-listener.ts';
import { tableBeside } from './beside.ts';
import { type Figure, table } from './figure.ts';
import type { Report } from './report.ts';
import { rows } from './rows.ts';
import { withScratch } from './scratch.ts';

// Whatever ends the report early, its processes and folders go with it.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

const { values } = parseArgs({
  options: { only: { type: 'string', multiple: true }, json: { type: 'string' }, beside: { type: 'string' } },
});
const chosen = rows.filter(({ name }) => values.only === undefined || values.only.includes(name));
const unknown = (values.only ?? []).filter((name) => !rows.some((row) => row.name === name));
if (unknown.length > 0) {
  process.stderr.write(`no row ${unknown.join(', ')}; rows: ${rows.map(({ name }) => name).join(', ')}\n`);
  process.exit(2);
}

if (values.beside !== undefined) {
  const names = chosen.map(({ name }) => name);
  process.stdout.write(`${await tableBeside(resolve(values.beside), names)}\n`);
  process.exit();
}

const { adapter } = await chooseListener();
const [processor] = cpus();
const environment = `node ${process.version}, ${availableParallelism()} cores (${processor?.model ?? 'unknown'}), ${process.platform} ${process.arch}, ${adapter}`;
process.stdout.write(`${environment}\n`);

const load = loadavg()[0] ?? 0;
const measured: Report['rows'][number][] = [];
let failed = false;
for (const row of chosen) {
  process.stderr.write(`${row.name} ...\n`);
  try {
    measured.push({ name: row.name, figures: await withScratch((folder) => row.measure(folder)) });
    // A run that is cut short has what it measured so far.
    if (values.json !== undefined) await writeReport(values.json, { environment, load, rows: measured });
  } catch (error) {
    // A figure that is missed is a result; one that could not be measured is not.
    failed = true;
    process.stderr.write(`${row.name} could not be measured: ${error instanceof Error ? error.stack : error}\n`);
  }
}

const figures: Figure[] = measured.flatMap((row) => row.figures);
const missed = figures.filter(({ reached }) => reached === false);
process.stdout.write(`\n${table(figures)}\n\n`);
process.stdout.write(
  missed.length === 0 ? 'no figure was missed\n' : `MISSED: ${missed.map(({ figure }) => figure).join('; ')}\n`,
);
process.exitCode = failed ? 1 : 0;

function writeReport(file: string, written: Report): Promise<void> {
  return writeFile(file, `${JSON.stringify(written, null, 2)}\n`);
}
