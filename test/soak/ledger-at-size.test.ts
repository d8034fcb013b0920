import { randomUUID } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { systemClock } from '../../actors/supervision/system-clock.ts';
import { StudyHost } from '../../client/study-host.ts';
import { writeBackup } from '../../storage/backup/write-backup.ts';
import { dataRootAt } from '../../storage/objects/data-root-layout.ts';
import { openInProcess } from '../crash/host-in-process.ts';
import { LaterClient } from '../crash/later-client.ts';
import { scratchFolder } from '../storage/ledger/scratch.ts';
import { builtRuntimeId, fillLedger } from './ledger-at-size.ts';

const most = Number(process.env.MEDIA_STUDY_TEST_RUNTIMES ?? 100_000);
const eventsOfEach = 100;
const repeats = 20;

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

test('start, lists and reads cost the same with ten times the ledger; backup and collection grow with it', async (t) => {
  t.timeout(7_200_000, 'a ledger of ten million events');
  const flat: Record<string, number[]> = {};
  for (const runtimes of [most / 10, most]) {
    const folder = await scratchFolder(t);
    const root = join(folder, 'data');
    await mkdir(root, { mode: 0o700 });
    const first = await openInProcess(t, root);
    const template = await new LaterClient(first).study();
    await first.stop();
    const built = performance.now();
    await fillLedger(root, template, { runtimes, eventsOfEach });
    const buildMs = performance.now() - built;
    await (await openInProcess(t, root)).stop();

    const from = performance.now();
    const host = await openInProcess(t, root);
    const startMs = performance.now() - from;
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
    const figures = { startMs, listMs, readMs, eventsMs, collectionMs, backupMs, buildMs };
    t.log(
      `${runtimes} runtimes, ${runtimes * eventsOfEach} events: ${Object.entries(figures)
        .map(([name, ms]) => `${name} ${ms.toFixed(1)}`)
        .join(', ')}`,
    );
    for (const [name, ms] of Object.entries(figures)) flat[name] = [...(flat[name] ?? []), ms];
    await rm(folder, { recursive: true });
  }
  for (const name of ['listMs', 'readMs', 'eventsMs']) {
    const [small = 0, large = 0] = flat[name] ?? [];
    t.true(large < 3 * small + 10, `${name} grew from ${small} to ${large}`);
  }
});
