import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { aloneDelayMs, deathLimit, resumeLimit } from '../../actors/supervision/host-deaths.ts';
import { StudyHost } from '../../client/study-host.ts';
import { copyAsLeft, openInProcess } from '../host/host-in-process.ts';
import { checkRuntimes } from './checks.ts';
import { slowClock } from './slow-clock.ts';

/** What ends work that keeps nothing: the lives beside others, and those alone. */
const deathsAllowed = 1 + resumeLimit + deathLimit;
const windowMs = 4_000;
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
  const range = { startMs: 0, endMs: 37_000 };
  return (await client.study(source, { targetLanguage: 'en', range }).started).runtimeId;
}

/**
 * One host on the data root that the one before left. What its death in the middle of the decode pass of its one study would
 * leave is in `next`; where the study came to its end instead, resolves with its status.
 */
async function live(t: ExecutionContext, root: string, next: string, dies: Dies) {
  const host = await openInProcess(t, root, { clock, windowing: { aboveMs: 20_000, lengthMs: windowMs } });
  const { listening, authorizationToken: token } = host.announced ?? { listening: '', authorizationToken: '' };
  const client = StudyHost.connect({ baseUrl: listening, token });
  const runtimeId = await studyOfAll(client);
  let from: number | null = null;
  try {
    for (; ; await delay(5)) {
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
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'same-step-')));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const rootAfter = (deaths: number) => join(folder, `${deaths}`);
  for (let deaths = 0; deaths <= 2 * deathsAllowed; deaths += 1) {
    const status = await live(t, rootAfter(deaths), rootAfter(deaths + 1), dies);
    if (status !== null) return { deaths, status, root: rootAfter(deaths) };
    t.log(`death ${deaths + 1}`);
  }
  throw new Error('the study has not ended');
}

test('a step that its host dies in again and again ends its study, with what to do about it', async (t) => {
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
