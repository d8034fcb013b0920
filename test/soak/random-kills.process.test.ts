import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import test from 'ava';
import { z } from 'zod';
import { checkDataRoot, checkJournal, checkRuntimes } from '../crash/checks.ts';
import { CrashClient, nothingPromised, type Promised } from '../crash/client.ts';
import { HostGone, type Reachable, startHost } from '../crash/host-process.ts';
import { mediaNumber } from '../crash/media.ts';
import { waitUntil } from '../crash/standstill.ts';
import { seededNumbers } from '../storage/ledger/scratch.ts';

const kills = Number(process.env.MEDIA_STUDY_TEST_KILLS ?? 1000);
/** No more is begun while so much has not ended. */
const mostOpen = 6;
const leastLifeMs = 4_000;
const below = seededNumbers(Number(process.env.MEDIA_STUDY_TEST_SEED ?? 20_261_121));

const ingest = z.looseObject({ status: z.string(), failure: z.unknown() });
const runtime = z.looseObject({ lifecycle: z.string(), reason: z.unknown() });

/** Drives what is new, or what earlier lives left open, until it has come to its end or the host is gone. */
async function drive(client: CrashClient, promised: Promised): Promise<void> {
  await client.drive(promised).catch((error) => {
    if (!(error instanceof HostGone)) throw error;
  });
}

/** How something that was acknowledged has ended; null while it has not. */
async function endNow(client: CrashClient, promised: Promised): Promise<string | null> {
  if (promised.runtime === null) {
    const { status, failure } = ingest.parse(await client.get(`/v1/owned-media-ingests/${promised.ingestId}`));
    return status === 'registered' || status === 'failed' ? `${status} ${JSON.stringify(failure)}` : null;
  }
  const { lifecycle, reason } = runtime.parse(await client.get(`/v1/runtimes/${promised.runtime.runtimeId}`));
  return ['terminal', 'failed', 'interrupted'].includes(lifecycle) ? `${lifecycle} ${JSON.stringify(reason)}` : null;
}

async function endOf(host: Reachable, client: CrashClient, promised: Promised): Promise<string> {
  let end: string | null = null;
  const hasEnded = async (): Promise<boolean> => {
    end = await endNow(client, promised);
    return end !== null;
  };
  await waitUntil(host, `number ${promised.number} is to end`, hasEnded, { pauseMs: 200 });
  return end ?? '';
}

/** A study that was often killed may use up its time, which a host counts while it is up. It then ends with its code. */
const isOutOfTime = (end: string): boolean => end.includes('the study used up its time');

/** The longest life of a host: four times what the whole way of one upload takes on this machine now, as others are under way. */
async function longestLifeMs(client: CrashClient): Promise<number> {
  const from = performance.now();
  await client.drive(nothingPromised(1, mediaNumber(1)));
  return Math.max(leastLifeMs, Math.round(4 * (performance.now() - from)));
}

test('after kills at random moments everything that was acknowledged ends well', async (t) => {
  t.timeout(14_400_000, 'a life for each kill');
  const root = await realpath(await mkdtemp(join(tmpdir(), 'kills-test-')));
  t.teardown(() => rm(root, { recursive: true, force: true }));
  const past: Promised[] = [];
  const unharmed = await startHost(t, root);
  const longest = await longestLifeMs(new CrashClient(unharmed));
  t.is(await unharmed.stop(), 0);
  process.stderr.write(`hosts live at most ${longest} ms\n`);
  for (let kill = 0; kill < kills; kill += 1) {
    const host = await startHost(t, root);
    // A client must get the same answers later; ended studies are read again at the end.
    const open = past.filter(({ isTerminal }) => !isTerminal);
    const begun = Array.from({ length: Math.min(1 + below(2), Math.max(0, mostOpen - open.length)) }, (_, index) =>
      nothingPromised(10 * (kill + 1) + index, mediaNumber(10 * (kill + 1) + index)),
    );
    const client = new CrashClient(host);
    const drives = [...open, ...begun].map((each) => drive(client, each));
    // If all places are taken, one becomes free first. Work over which hosts died waits to run alone, for longer than
    // most lives last.
    const mayDie = open.length < mostOpen ? Promise.resolve() : Promise.race(drives);
    await Promise.all([mayDie.then(() => delay(below(longest))).then(() => host.kill()), ...drives]);
    past.push(...begun);
    if (kill % 25 === 24) process.stderr.write(`${kill + 1} kills, ${past.length} begun, ${open.length} open\n`);
  }
  const host = await startHost(t, root);
  const client = new CrashClient(host);
  const acknowledged = past.filter(({ received, runtime: started }) => received || started !== null);
  t.log(
    `${acknowledged.length} uploads and ${past.filter(({ runtime: r }) => r !== null).length} studies acknowledged`,
  );
  const ends = await Promise.all(acknowledged.map((each) => endOf(host, client, each)));
  t.log(`${ends.filter(isOutOfTime).length} studies used up their time`);
  t.deepEqual(
    ends.filter((end) => !['registered null', 'terminal null'].includes(end) && !isOutOfTime(end)),
    [],
  );
  for (const [index, each] of acknowledged.entries()) {
    if (each.runtime === null) continue;
    await client.follow(each, () => each.isTerminal);
    if (!isOutOfTime(ends[index] ?? '')) checkJournal(t, each);
  }
  t.true(acknowledged.length >= kills / 10);
  t.is(await host.stop(), 0, host.reported().join('\n'));
  await checkDataRoot(t, root);
  await checkRuntimes(t, root);
});
