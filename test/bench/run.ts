import { writeFile } from 'node:fs/promises';
import { availableParallelism, cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { chooseListener } from '../../http/listener/choose-listener.ts';
import { auditRead } from './audit-read.ts';
import { busyHost } from './busy-host.ts';
import { eventsPage } from './events-page.ts';
import { explanations } from './explanations.ts';
import { type Figure, type Row, table } from './figure.ts';
import { firstLine } from './first-line.ts';
import { idleStreams } from './idle-streams.ts';
import { largeIngest } from './large-ingest.ts';
import { manyIngests } from './many-ingests.ts';
import { memoryAtRest } from './memory-at-rest.ts';
import { playback } from './playback.ts';
import { requestCost } from './request-cost.ts';
import { reusedAttempt } from './reused-attempt.ts';
import { withScratch } from './scratch.ts';
import { startUp } from './start-up.ts';
import { study } from './study.ts';
import { transitions } from './transitions.ts';

const rows: readonly Row[] = [
  requestCost,
  busyHost,
  eventsPage,
  largeIngest,
  manyIngests,
  study,
  reusedAttempt,
  transitions,
  firstLine,
  startUp,
  playback,
  auditRead,
  explanations,
  memoryAtRest,
  idleStreams,
];

// Whatever ends the report early, its processes and folders go with it.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

const { values } = parseArgs({ options: { only: { type: 'string', multiple: true }, json: { type: 'string' } } });
const chosen = rows.filter(({ name }) => values.only === undefined || values.only.includes(name));
const unknown = (values.only ?? []).filter((name) => !rows.some((row) => row.name === name));
if (unknown.length > 0) {
  process.stderr.write(`no row ${unknown.join(', ')}; rows: ${rows.map(({ name }) => name).join(', ')}\n`);
  process.exit(2);
}

const { adapter } = await chooseListener();
const [processor] = cpus();
const environment = `node ${process.version}, ${availableParallelism()} cores (${processor?.model ?? 'unknown'}), ${process.platform} ${process.arch}, ${adapter}`;
process.stdout.write(`${environment}\n`);

const figures: Figure[] = [];
let failed = false;
for (const row of chosen) {
  process.stderr.write(`${row.name} ...\n`);
  try {
    figures.push(...(await withScratch((folder) => row.measure(folder))));
  } catch (error) {
    // A figure that is missed is a result; one that could not be measured is not.
    failed = true;
    process.stderr.write(`${row.name} could not be measured: ${error instanceof Error ? error.stack : error}\n`);
  }
}

const missed = figures.filter(({ reached }) => reached === false);
process.stdout.write(`\n${table(figures)}\n\n`);
process.stdout.write(
  missed.length === 0 ? 'no figure was missed\n' : `MISSED: ${missed.map(({ figure }) => figure).join('; ')}\n`,
);
if (values.json !== undefined) await writeFile(values.json, `${JSON.stringify({ environment, figures }, null, 2)}\n`);
process.exitCode = failed ? 1 : 0;
