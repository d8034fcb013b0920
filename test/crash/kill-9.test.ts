import { mkdtemp, readdir, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { seededNumbers } from '../storage/ledger/scratch.ts';
import { checkAnswers, checkDataRoot, checkJournal, checkRuntimes, processesOf } from './checks.ts';
import { CrashClient, HostGone, nothingPromised, type Promised } from './client.ts';
import { startHost } from './host-process.ts';
import { mediaNumber } from './media.ts';

const seed = Number(process.env.MEDIA_STUDY_TEST_SEED ?? 20_261_121);
const kills = 30;
const killsOfATest = 10;
const lanes = 2;

type Phase = 'start' | 'ingest' | 'study';

/** Filled by the first test: how many points the host passes on its way, and the points at which it is killed. */
const way = { toListening: 0, toSource: 0, toEnd: 0, stops: [] as number[] };
const killed: Record<Phase, number> = { start: 0, ingest: 0, study: 0 };

async function dataRoot(t: ExecutionContext): Promise<string> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'crash-test-')));
  t.teardown(() => rm(root, { recursive: true, force: true }));
  return root;
}

/** Whatever a dead host had started dies with it; a moment is allowed for the kernel to be done with it. */
async function checkProcesses(t: ExecutionContext, root: string): Promise<void> {
  for (let round = 0; round < 40 && (await processesOf(root)).length > 0; round += 1) await delay(50);
  t.deepEqual(await processesOf(root), []);
}

/** Finishes what earlier lives of the host owe, and checks everything that was ever promised on this data root. */
async function settle(t: ExecutionContext, client: CrashClient, promised: readonly Promised[]): Promise<void> {
  for (const each of promised) {
    await client.finish(each);
    if (each.runtime !== null) checkJournal(t, each);
    await checkAnswers(t, client, each);
  }
}

/** One life of the host that settles the past, begins something new and dies at one of the points that follow. */
async function liveUntil(
  t: ExecutionContext,
  root: string,
  stop: number,
  past: readonly Promised[],
  next: Promised,
): Promise<void> {
  // The first life of a data root may die while it starts; the others are counted from when they have nothing left to do.
  const isFirst = past.length === 0;
  const host = await startHost(t, root, isFirst ? `${stop}` : `+${Math.max(1, stop - way.toListening)}`);
  const client = new CrashClient(host);
  let phase: Phase = 'ingest';
  try {
    await settle(t, client, past);
    if (!isFirst) await host.count();
    await client.drive(next);
    await host.kill();
  } catch (error) {
    if (!(error instanceof HostGone)) throw error;
    t.is(await host.ended, 'SIGKILL', host.told().join('\n'));
  }
  if (host.announced === null) phase = 'start';
  if (next.asked) phase = 'study';
  killed[phase] += 1;
  t.log(`killed in ${phase} at ${host.points().at(-1)}, with ${next.events.length} events read`);
  await checkProcesses(t, root);
}

/** A life that settles the past and ends in peace; says what it told. */
async function liveOn(t: ExecutionContext, root: string, past: readonly Promised[]): Promise<readonly string[]> {
  const host = await startHost(t, root);
  await settle(t, new CrashClient(host), past);
  t.is(await host.stop(), 0, host.told().join('\n'));
  await checkProcesses(t, root);
  await checkDataRoot(t, root);
  await checkRuntimes(t, root);
  return host.told();
}

test.serial('without a crash the way from an upload to a decision passes points in every phase', async (t) => {
  const root = await dataRoot(t);
  const host = await startHost(t, root, `${Number.MAX_SAFE_INTEGER}`);
  const client = new CrashClient(host);
  const promised = nothingPromised(0, mediaNumber(0));
  way.toListening = host.points().length;
  await client.ingest(promised);
  await client.registered(promised);
  way.toSource = host.points().length;
  await client.drive(promised);
  checkJournal(t, promised);
  t.is(await host.stop(), 0);
  way.toEnd = host.points().length;
  t.true(way.toEnd >= kills);

  const below = seededNumbers(seed);
  const border = (stretch: number) => Math.floor((stretch * way.toEnd) / kills);
  way.stops = Array.from({ length: kills }, (_, stretch) => {
    const from = border(stretch);
    return from + 1 + below(border(stretch + 1) - from);
  });
  t.log(`seed ${seed}: ${way.toSource} points up to the source, ${way.toEnd} in all`);
});

for (let first = 0; first < kills; first += killsOfATest) {
  test.serial(
    `kills ${first + 1} to ${first + killsOfATest}: what was acknowledged is there and finishes`,
    async (t) => {
      const stops = way.stops.slice(first, first + killsOfATest);
      t.timeout(300_000, 'a dozen lives on a busy machine');
      t.is(stops.length, killsOfATest, 'the first test makes the plan');
      const live = async (lane: number) => {
        const root = await dataRoot(t);
        const past: Promised[] = [];
        for (const [index, stop] of stops.entries()) {
          if (index % lanes !== lane) continue;
          const next = nothingPromised(first + index + 1, mediaNumber(first + index + 1));
          await liveUntil(t, root, stop, past, next);
          past.push(next);
        }
        await liveOn(t, root, past);
      };
      await Promise.all(Array.from({ length: lanes }, (_, lane) => live(lane)));
    },
  );
}

test.serial(
  'a host that is killed while it takes up what an earlier death left goes on in the next life',
  async (t) => {
    // Two points follow those of a start without anything to take up: the commit that counts the resumption.
    const live = async (beyond: number) => {
      const root = await dataRoot(t);
      const promised = nothingPromised(beyond, mediaNumber(beyond));
      await liveUntil(t, root, way.toSource + 12, [], promised);
      const again = await startHost(t, root, `${way.toListening + beyond}`);
      t.is(await again.ended, 'SIGKILL');
      t.is(again.announced, null);
      await checkProcesses(t, root);
      await liveOn(t, root, [promised]);
    };
    await Promise.all([live(1), live(2)]);
  },
);

test.serial('the kills were spread over ingests and studies', (t) => {
  t.log(killed);
  t.true(killed.start + killed.ingest + killed.study >= kills);
  t.true(killed.ingest >= 5);
  t.true(killed.study >= 5);
});

test.serial('a host that is told to stop in the middle of a study goes on where it stood', async (t) => {
  const root = await dataRoot(t);
  const promised = nothingPromised(0, mediaNumber(0));
  const host = await startHost(t, root);
  const client = new CrashClient(host);
  await client.ingest(promised);
  await client.start(promised);
  await client.follow(promised, () => promised.events.some((text) => text.includes('media.operation_started')));
  t.false(promised.isTerminal);
  t.is(await host.stop(), 0, host.told().join('\n'));
  await checkProcesses(t, root);
  t.log(await liveOn(t, root, [promised]));
  t.true(promised.isTerminal);
});

test.serial(
  'a host that is told to stop five times in the middle of one study ends it well all the same',
  async (t) => {
    const root = await dataRoot(t);
    const promised = nothingPromised(0, mediaNumber(0));
    for (let stop = 0; stop < 5; stop += 1) {
      const host = await startHost(t, root);
      const client = new CrashClient(host);
      await client.ingest(promised);
      await client.start(promised);
      t.is(await host.stop(), 0, host.told().join('\n'));
    }
    await liveOn(t, root, [promised]);
    t.true(promised.isTerminal);
  },
);

test.serial(
  'a host that is killed in the middle of an upload leaves the ingest open and the inbox empty',
  async (t) => {
    const root = await dataRoot(t);
    const promised = nothingPromised(0, mediaNumber(0));
    const host = await startHost(t, root);
    const client = new CrashClient(host);
    await client.sendHalf(promised);
    while ((await readdir(join(root, 'inbox'))).length === 0) await delay(20);
    await host.kill();
    await liveOn(t, root, [promised]);
  },
);
