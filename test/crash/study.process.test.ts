import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { aloneDelayMs, deathLimit, resumeLimit } from '../../actors/supervision/recovery.ts';
import type { StudyHost } from '../../client/study-host.ts';
import { copyAsLeft } from '../host/host-in-process.ts';
import { checkJournal, checkProcesses, checkRuntimes, checkWhole, settle } from './checks.ts';
import { CrashClient, knownNow, nothingPromised, type Promised, phaseOf } from './client.ts';
import { CopiedLife, emptyRoot, inTwoLanes, isDeadly, type Left, SharedLife } from './copied-lives.ts';
import { openInMemory } from './host-in-memory.ts';
import { clientOf } from './host-process.ts';
import { mediaNumber } from './media.ts';
import { slowClock } from './slow-clock.ts';

/** From an upload to a decision, without a crash: what each death on the way would leave. */
const way = new SharedLife(async (t, { folder, root }) => {
  const promised = nothingPromised(0, mediaNumber(0));
  const life = new CopiedLife({ root, copies: folder, isWanted: isDeadly, known: () => knownNow(promised) });
  const host = await openInMemory(t, root, { points: life.point });
  await new CrashClient(host).drive(promised);
  await host.stop();
  return { promised, ...life };
});
test.after.always(way.remove);

/** Goes on in this process with what a death left, and ends in peace; resolves with what the client knows then. */
async function liveOnFrom(t: ExecutionContext, left: Left<Promised>): Promise<Promised> {
  const { point } = left;
  const root = await emptyRoot(t);
  copyAsLeft(left.root, root);
  const known = knownNow(left.known);
  t.log(`died in ${phaseOf(known)} at ${point}, with ${known.events.length} events known`);
  const host = await openInMemory(t, root);
  await settle(t, new CrashClient(host), [known]);
  await host.stop();
  await checkProcesses(t, root);
  await checkWhole(t, root);
  return known;
}

test('without a crash the way from an upload to a decision passes points in every phase', async (t) => {
  const { promised, passed } = await way.of(t);
  checkJournal(t, promised);
  t.true(passed.length >= 30);
  t.log(passed.join(' '));
});

test('a host that dies after any commit continues: all acknowledged work is there and finishes', async (t) => {
  const { left } = await way.of(t);
  await inTwoLanes(left, (each) => liveOnFrom(t, each));
});

test('the deaths were spread over ingests and studies', async (t) => {
  const phases = (await way.of(t)).left.map(({ known }) => phaseOf(known));
  const of = (wanted: string) => phases.filter((phase) => phase === wanted).length;
  t.log(`in starts: ${of('start')}, in ingests: ${of('ingest')}, in studies: ${of('study')}`);
  t.true(of('start') >= 1);
  t.true(of('ingest') >= 5);
  t.true(of('study') >= 5);
});

test('a host that dies while it resumes after an earlier death continues in the next life', async (t) => {
  const earlier = (await way.of(t)).left.filter(({ known }) => phaseOf(known) === 'study').at(-2);
  if (earlier === undefined) throw new Error('no death came in a study');
  const copies = await emptyRoot(t);
  const root = join(copies, 'way');
  copyAsLeft(earlier.root, root);
  // Before and after the commits of a start, of which one counts the resumption.
  const isWanted = (point: string) => point.startsWith('commit:');
  const life = new CopiedLife({ root, copies, isWanted, known: () => knownNow(earlier.known) });
  const host = await openInMemory(t, root, { points: life.point });
  await host.stop();
  t.true(life.left.length >= 2);
  await inTwoLanes(life.left, (left) => liveOnFrom(t, left));
});

test('a host that is stopped five times in one study still ends it well', async (t) => {
  const root = await emptyRoot(t);
  const promised = nothingPromised(0, mediaNumber(0));
  for (let stop = 0; stop < 5; stop += 1) {
    const host = await openInMemory(t, root);
    const client = new CrashClient(host);
    await client.ingest(promised);
    await client.start(promised);
    await host.stop();
  }
  const { isTerminal } = await liveOnFrom(t, { root, point: 'the fifth stop', known: promised });
  t.true(isTerminal);
});

/** Limits for work that keeps nothing: the lives beside others, and those alone. */
const deathsAllowed = 1 + resumeLimit + deathLimit;
const windowMs = 1_000;
const aloneDelays = Array.from({ length: deathLimit }, (_, deaths) => aloneDelayMs(deaths));

/** A slow clock, so that a busy machine ends nothing, on which the turn of work that runs alone comes at once. */
const clock = {
  ...slowClock,
  setTimeout: (run: () => void, ms: number) => slowClock.setTimeout(run, aloneDelays.includes(ms) ? 0 : ms),
};

type Dies = 'at once' | 'after a window';

async function studyOfAll(client: StudyHost): Promise<string> {
  const [known] = (await client.runtimes()).runtimes;
  if (known !== undefined) return known.runtimeId;
  const [source] = await client.sources();
  if (source === undefined) throw new Error('the sample is there');
  const range = { startMs: 0, endMs: 11_000 };
  return (await client.study(source, { targetLanguage: 'en', range }).started).runtimeId;
}

/**
 * One host on the data root of the one before. `next` has the remains of its death in the decode pass of its one study;
 * if the study ended instead, resolves with its status.
 */
async function live(t: ExecutionContext, root: string, next: string, dies: Dies) {
  const host = await openInMemory(t, root, { clock, windowing: { aboveMs: 5_000, lengthMs: windowMs } });
  const client = clientOf(host);
  const runtimeId = await studyOfAll(client);
  let from: number | null = null;
  try {
    for (; ; await delay(20)) {
      const { stage, completed } = await client.progress(runtimeId);
      if (stage === 'ended') return await client.status(runtimeId);
      if (stage !== 'detect' || completed === null) continue;
      from ??= Math.floor(completed / windowMs) * windowMs;
      // Behind the end of a window the next one is decoded: the first is kept.
      if (dies === 'after a window' && completed <= from + windowMs) continue;
      copyAsLeft(root, next);
      return null;
    }
  } finally {
    await host.stop();
  }
}

async function livesUntilTheEnd(t: ExecutionContext, dies: Dies) {
  const folder = await emptyRoot(t);
  const rootAfter = (deaths: number) => join(folder, `${deaths}`);
  for (let deaths = 0; deaths <= 2 * deathsAllowed; deaths += 1) {
    const status = await live(t, rootAfter(deaths), rootAfter(deaths + 1), dies);
    if (status !== null) return { deaths, status, root: rootAfter(deaths) };
    t.log(`death ${deaths + 1}`);
  }
  throw new Error('the study has not ended');
}

test('a step in which its host dies repeatedly ends its study, with a remedy', async (t) => {
  t.timeout(900_000, 'nine lives on a busy machine');
  const { deaths, status, root } = await livesUntilTheEnd(t, 'at once');
  t.is(deaths, deathsAllowed);
  t.like(status, { lifecycle: 'interrupted', terminal: true });
  t.deepEqual(status.reason, {
    code: 'executor_interrupted',
    message:
      'resumes exhausted: the host died 5 times while this was the only work running; ' +
      'look in the log of the system for why it died (often memory), then begin another attempt',
  });
  await checkRuntimes(t, root);
});

test('a step that keeps a window in each life of its host is never ended by its deaths', async (t) => {
  t.timeout(900_000, 'a life for each window on a busy machine');
  const { deaths, status, root } = await livesUntilTheEnd(t, 'after a window');
  t.true(deaths > deathsAllowed, `${deaths} deaths`);
  t.like(status, { lifecycle: 'terminal', reason: null });
  await checkRuntimes(t, root);
});
