import { mkdir, mkdtemp, readdir, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { openInProcess } from '../host/host-in-process.ts';
import { eventually } from '../patience.ts';
import { seededNumbers } from '../storage/ledger/scratch.ts';
import { checkAnswers, checkDataRoot, checkJournal, checkRuntimes } from './checks.ts';
import { CrashClient, HostGone, knownNow, nothingPromised, type Promised } from './client.ts';
import { CopiedLife, inTwoLanes, type Left } from './copied-lives.ts';
import { startHost } from './host-process.ts';
import { mediaNumber } from './media.ts';
import { processesOf } from './processes.ts';
import { isDeadly, isSoak } from './soak.ts';

const seed = Number(process.env.MEDIA_STUDY_TEST_SEED ?? 20_261_121);
const kills = isSoak ? 30 : 5;
const killsOfATest = isSoak ? 10 : 5;

type Phase = 'start' | 'ingest' | 'study';

/** Filled by the first test: what each death on the way leaves, how many points the host passes, and those of the kills. */
const way = { folder: '', left: [] as Left<Promised>[], toListening: 0, toEnd: 0, stops: [] as number[] };
test.after.always(() => rm(way.folder, { recursive: true, force: true }));

async function dataRoot(t: ExecutionContext): Promise<string> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'crash-test-')));
  t.teardown(() => rm(root, { recursive: true, force: true }));
  return root;
}

/** Whatever a dead host had started dies with it; a moment is allowed for the kernel to be done with it. */
async function checkProcesses(t: ExecutionContext, root: string): Promise<void> {
  const areGone = async () => (await processesOf(root)).length === 0;
  await t.notThrowsAsync(eventually('the end of what the host had started', areGone, 50));
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
  try {
    await settle(t, client, past);
    if (!isFirst) await host.count();
    await client.drive(next);
    await host.kill();
  } catch (error) {
    if (!(error instanceof HostGone)) throw error;
    t.is(await host.ended, 'SIGKILL', host.told().join('\n'));
  }
  t.log(`killed in ${phaseOf(next)} at ${host.points().at(-1)}, with ${next.events.length} events read`);
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

/** How far a client had come that knows this. */
const phaseOf = ({ ingestId, asked }: Promised): Phase => (asked ? 'study' : ingestId === null ? 'start' : 'ingest');

/** Goes on in this process with what a death left, and ends in peace; resolves with what the client knows then. */
async function liveOnFrom(t: ExecutionContext, left: Left<Promised>): Promise<Promised> {
  const { root, point } = left;
  const known = knownNow(left.known);
  t.log(`died in ${phaseOf(known)} at ${point}, with ${known.events.length} events known`);
  const host = await openInProcess(t, root);
  await settle(t, new CrashClient(host), [known]);
  await host.stop();
  await checkProcesses(t, root);
  await checkDataRoot(t, root);
  await checkRuntimes(t, root);
  return known;
}

test.serial('without a crash the way from an upload to a decision passes points in every phase', async (t) => {
  way.folder = await realpath(await mkdtemp(join(tmpdir(), 'crash-test-')));
  const root = join(way.folder, 'way');
  await mkdir(root, { mode: 0o700 });
  const promised = nothingPromised(0, mediaNumber(0));
  const life = new CopiedLife({ root, copies: way.folder, isWanted: isDeadly, known: () => knownNow(promised) });
  const host = await openInProcess(t, root, { points: life.point });
  way.toListening = life.passed.length;
  await new CrashClient(host).drive(promised);
  checkJournal(t, promised);
  await host.stop();
  way.left = life.left;
  way.toEnd = life.passed.length;
  t.true(way.toEnd >= 30);

  const below = seededNumbers(seed);
  const border = (stretch: number) => Math.floor((stretch * way.toEnd) / kills);
  way.stops = Array.from({ length: kills }, (_, stretch) => {
    const from = border(stretch);
    return from + 1 + below(border(stretch + 1) - from);
  });
  t.log(`seed ${seed}: kills at ${way.stops.join(', ')} of ${way.toEnd}`, life.passed.join(' '));
});

test.serial('a host that dies after any commit goes on: what was acknowledged is there and finishes', async (t) => {
  await inTwoLanes(way.left, (left) => liveOnFrom(t, left));
});

test.serial('the deaths were spread over ingests and studies', (t) => {
  const phases = way.left.map(({ known }) => phaseOf(known));
  const of = (wanted: Phase) => phases.filter((phase) => phase === wanted).length;
  t.log(`in starts: ${of('start')}, in ingests: ${of('ingest')}, in studies: ${of('study')}`);
  t.true(of('start') >= 1);
  t.true(of('ingest') >= 5);
  t.true(of('study') >= 5);
});

for (let first = 0; first < kills; first += killsOfATest) {
  test.serial(
    `kills ${first + 1} to ${first + killsOfATest} of a real process: what was acknowledged is there and finishes`,
    async (t) => {
      const stops = way.stops.slice(first, first + killsOfATest);
      t.is(stops.length, killsOfATest, 'the first test makes the plan');
      const root = await dataRoot(t);
      const past: Promised[] = [];
      for (const [index, stop] of stops.entries()) {
        const next = nothingPromised(first + index + 1, mediaNumber(first + index + 1));
        await liveUntil(t, root, stop, past, next);
        past.push(next);
      }
      await liveOn(t, root, past);
    },
  );
}

test.serial('a host that dies while it takes up what an earlier death left goes on in the next life', async (t) => {
  const earlier = way.left.filter(({ known }) => phaseOf(known) === 'study').at(-2);
  if (earlier === undefined) throw new Error('no death came in a study');
  const copies = await dataRoot(t);
  // Before and after the commits of a start, of which one counts the resumption.
  const isWanted = (point: string) => point.startsWith('commit:');
  const life = new CopiedLife({ root: earlier.root, copies, isWanted, known: () => knownNow(earlier.known) });
  const host = await openInProcess(t, earlier.root, { points: life.point });
  await host.stop();
  t.true(life.left.length >= 2);
  await inTwoLanes(life.left, (left) => liveOnFrom(t, left));
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
      const host = await openInProcess(t, root);
      const client = new CrashClient(host);
      await client.ingest(promised);
      await client.start(promised);
      await host.stop();
    }
    const { isTerminal } = await liveOnFrom(t, { root, point: 'the fifth stop', known: promised });
    t.true(isTerminal);
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
