import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { checkDataRoot, checkJournal, checkRuntimes } from '../crash/checks.ts';
import { CrashClient, HostGone, nothingPromised, type Promised } from '../crash/client.ts';
import { startHost } from '../crash/host-process.ts';
import { mediaNumber } from '../crash/media.ts';
import { seededNumbers } from '../storage/ledger/scratch.ts';

const kills = Number(process.env.MEDIA_STUDY_TEST_KILLS ?? 1000);
/** No more is begun while so much has not ended. */
const mostOpen = 6;
const longestLifeMs = 4_000;
const below = seededNumbers(Number(process.env.MEDIA_STUDY_TEST_SEED ?? 20_261_121));
// Work that may have to run alone waits for its turn first, each for itself.
const patienceMs = 900_000;

const ingest = z.looseObject({ status: z.string(), failure: z.unknown() });
const runtime = z.looseObject({ lifecycle: z.string(), reason: z.unknown() });

/** Goes on with everything that was promised and begins something new, until the host is gone. */
async function askUntilKilled(
  client: CrashClient,
  past: readonly Promised[],
  begun: readonly Promised[],
): Promise<void> {
  const goOn = async (work: Promise<void>) => {
    await work.catch((error) => {
      if (!(error instanceof HostGone)) throw error;
    });
  };
  await Promise.all([
    ...past.map((each) => goOn(client.finish(each))),
    ...begun.map((each) => goOn(client.drive(each))),
  ]);
}

async function endOf(t: ExecutionContext, client: CrashClient, promised: Promised): Promise<string> {
  for (const until = Date.now() + patienceMs; Date.now() < until; await delay(200)) {
    if (promised.runtime === null) {
      const { status, failure } = ingest.parse(await client.get(`/v1/owned-media-ingests/${promised.ingestId}`));
      if (status === 'registered' || status === 'failed') return `${status} ${JSON.stringify(failure)}`;
      continue;
    }
    const { lifecycle, reason } = runtime.parse(await client.get(`/v1/runtimes/${promised.runtime.runtimeId}`));
    if (['terminal', 'failed', 'interrupted'].includes(lifecycle)) return `${lifecycle} ${JSON.stringify(reason)}`;
  }
  t.log(promised.number, 'has not ended');
  return 'nothing';
}

test('after kills at random moments everything that was acknowledged ends well', async (t) => {
  t.timeout(14_400_000, 'a life for each kill');
  const root = await realpath(await mkdtemp(join(tmpdir(), 'kills-test-')));
  t.teardown(() => rm(root, { recursive: true, force: true }));
  const past: Promised[] = [];
  for (let kill = 0; kill < kills; kill += 1) {
    const host = await startHost(t, root);
    // What one client was told stays with it; those that have ended are read again at the end.
    const open = past.filter(({ isTerminal }) => !isTerminal);
    const begun = Array.from({ length: Math.min(1 + below(2), Math.max(0, mostOpen - open.length)) }, (_, index) =>
      nothingPromised(10 * kill + index, mediaNumber(10 * kill + index)),
    );
    const asking = askUntilKilled(new CrashClient(host), open, begun);
    await Promise.all([delay(below(longestLifeMs)).then(() => host.kill()), asking]);
    past.push(...begun);
    if (kill % 25 === 24) process.stderr.write(`${kill + 1} kills, ${past.length} begun, ${open.length} open\n`);
  }
  const host = await startHost(t, root);
  const client = new CrashClient(host);
  const acknowledged = past.filter(({ received, runtime: started }) => received || started !== null);
  t.log(
    `${acknowledged.length} uploads and ${past.filter(({ runtime: r }) => r !== null).length} studies acknowledged`,
  );
  const ends = await Promise.all(acknowledged.map((each) => endOf(t, client, each)));
  t.deepEqual(
    ends.filter((end) => !['registered null', 'terminal null'].includes(end)),
    [],
  );
  for (const each of acknowledged.filter(({ runtime: started }) => started !== null)) {
    await client.follow(each, () => each.isTerminal);
    checkJournal(t, each);
  }
  t.true(acknowledged.length >= kills / 10);
  t.is(await host.stop(), 0, host.told().join('\n'));
  await checkDataRoot(t, root);
  await checkRuntimes(t, root);
});
