import { randomUUID } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { systemClock } from '../../actors/supervision/system-clock.ts';
import { StudyHost } from '../../client/study-host.ts';
import { writeBackup } from '../../storage/backup/write-backup.ts';
import { dataRootAt } from '../../storage/objects/data-root.ts';
import { LaterClient } from '../crash/later-client.ts';
import { openInProcess } from '../host/host-in-process.ts';
import { scratchFolder } from '../storage/ledger/scratch.ts';
import { builtRuntimeId, fillLedger } from './ledger-at-size.ts';

const most = Number(process.env.MEDIA_STUDY_TEST_RUNTIMES ?? 100_000);
const eventsOfEach = 100;
const repeats = 20;

/** Constant costs, and costs in proportion to the size of the store; in ms. */
const flat = ['startMs', 'listMs', 'readMs', 'eventsMs'] as const;
const linear = ['collectionMs', 'backupMs', 'buildMs'] as const;
type Figures = Readonly<Record<(typeof flat)[number] | (typeof linear)[number], number>>;

/** Above this a measure of the larger one of two sizes has grown, for a machine that does other things as well. */
const noiseOf = (name: string): number => (name === 'startMs' ? 500 : 20);

/** The median of several takings of one measure, in ms. */
async function median(work: () => Promise<unknown>, times = repeats): Promise<number> {
  const took: number[] = [];
  for (let nth = 0; nth < times; nth += 1) {
    const from = performance.now();
    await work();
    took.push(performance.now() - from);
  }
  return took.sort((one, other) => one - other)[times >> 1] ?? 0;
}

/** Measures one host on a ledger of so many runtimes, beside the study that they are made after. */
async function measured(t: ExecutionContext, runtimes: number): Promise<Figures> {
  const folder = await scratchFolder(t);
  const root = join(folder, 'data');
  await mkdir(root, { mode: 0o700 });
  const first = await openInProcess(t, root);
  const template = await new LaterClient(first).study();
  await first.stop();
  const built = performance.now();
  await fillLedger(root, template, { runtimes, eventsOfEach });
  const buildMs = performance.now() - built;
  // The start with which the ledger settles after all that writing does not count.
  await (await openInProcess(t, root)).stop();
  const startMs = await median(async () => (await openInProcess(t, root)).stop(), 5);

  const host = await openInProcess(t, root);
  const { listening = '', authorizationToken: token = '' } = host.announced ?? {};
  const client = StudyHost.connect({ baseUrl: listening, token });
  const listMs = await median(() => client.runtimes({ limit: 50 }));
  // Another one each time, so that nothing is remembered.
  const ids = Array.from({ length: 2 * repeats }, (_, nth) => builtRuntimeId((nth * 7919) % runtimes)).values();
  const nextId = (): string => ids.next().value ?? template;
  const readMs = await median(() => client.status(nextId()));
  const eventsMs = await median(() => client.events(nextId(), { limit: 50 }));
  const collectionMs = await median(() => client.deletions.collect({ dryRun: true }), 1);
  const backupMs = await median(async () => {
    const { folder: name, ...copied } = await client.snapshotLedger();
    const copy = { ...copied, folder: join(root, name) };
    await writeBackup({
      layout: dataRootAt(root),
      target: join(folder, 'backup'),
      clock: systemClock,
      newId: randomUUID,
      copyLedger: async () => copy,
    });
  }, 1);
  await host.stop();
  await rm(folder, { recursive: true });
  return { startMs, listMs, readMs, eventsMs, collectionMs, backupMs, buildMs };
}

test('start, lists and reads cost the same with ten times the ledger; backup and collection grow with it', async (t) => {
  t.timeout(7_200_000, 'a ledger of ten million events');
  let before: Figures | null = null;
  for (const runtimes of [most / 100, most / 10, most]) {
    const now = await measured(t, runtimes);
    const words = Object.entries(now).map(([name, ms]) => `${name} ${ms.toFixed(1)}`);
    t.log(`${runtimes} runtimes, ${runtimes * eventsOfEach} events: ${words.join(', ')}`);
    process.stderr.write(`${runtimes} runtimes: ${words.join(', ')}\n`);
    if (before !== null) {
      for (const name of flat)
        t.true(now[name] < 3 * before[name] + noiseOf(name), `${name} grew from ${before[name]} to ${now[name]}`);
      for (const name of linear)
        t.true(now[name] < 20 * before[name] + 1000, `${name} grew from ${before[name]} to ${now[name]}`);
    }
    before = now;
  }
});
