import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { systemClock } from '../../../actors/supervision/system-clock.ts';
import type { StudyHost } from '../../../client/study-host.ts';
import type { SourceSessionRow } from '../../../contract/sources/source-session.ts';
import { runtimePlan } from '../../../contract/study/start.ts';
import { unpackState } from '../../../executors/detector/packed-state.ts';
import { passState } from '../../../executors/evidence/decode-pass.ts';
import { erasingPrefix } from '../../../storage/backup/named-objects.ts';
import { checkRuntimes } from '../../crash/checks.ts';
import { copyAsLeft } from '../../host/host-in-process.ts';
import { eventually } from '../../patience.ts';
import { followed, newRoot, openClientHost, sampleOf } from '../client-host.ts';
import { openStore } from '../reopening/stored-studies.ts';

/** A host for which the sample is long. */
const hostOn = (t: ExecutionContext, root: string) =>
  openClientHost(t, root, { windowing: { aboveMs: 20_000, lengthMs: 8_000 } });

const startOn = async (client: StudyHost, range: { startMs: number; endMs: number }): Promise<string> =>
  (await client.study(await sampleOf(client), { targetLanguage: 'en', range }).started).runtimeId;

/** Resolves with the progress once so much of the media was measured. */
async function measured(client: StudyHost, runtimeId: string, leastMs: number): Promise<number> {
  for (; ; await delay(10)) {
    const { stage, completed } = await client.progress(runtimeId);
    if (stage === 'subtitles' || stage === 'ended') throw new Error(`the pass was over at ${stage}`);
    if (stage === 'detect' && (completed ?? 0) >= leastMs) return completed ?? 0;
  }
}

const factsOf = async (client: StudyHost, runtimeId: string) =>
  (await client.evidence(runtimeId, 'all')).evidence.map(({ kind, facts }) => ({ kind, facts }));

/** The lines about windows that a host has reported. */
const windowLines = (lines: readonly string[]) => lines.filter((line) => /goes on at|window/.test(line));

const windowRow = z.object({ window: z.object({ state: z.object({ contentId: z.string(), bytes: z.number() }) }) });

async function damageNewestWindow(root: string): Promise<void> {
  const { ledger, objectStore } = await openStore(root);
  const rows = await ledger.list('operation');
  const states = rows.flatMap(({ value }) => windowRow.safeParse(value).data?.window.state ?? []);
  const measured = states.map(async (state) => {
    const kept = unpackState(await objectStore.read(state.contentId, state.bytes));
    return { ...state, lastMs: passState.parse(kept).lastMs };
  });
  const [newest] = (await Promise.all(measured)).sort((one, other) => other.lastMs - one.lastMs);
  if (newest === undefined) throw new Error('a window is kept');
  await writeFile(objectStore.locate(newest.contentId), Buffer.alloc(newest.bytes));
  await ledger.close();
}

const objectsIn = async (root: string): Promise<number> =>
  (await readdir(join(root, 'objects'), { recursive: true, withFileTypes: true })).filter((each) => each.isFile())
    .length;

test('a long study continues in the next host after its last window, and leaves no windows', async (t) => {
  const [root, copy, damaged] = [await newRoot(t), await newRoot(t), await newRoot(t)];
  const { host, client } = await hostOn(t, root);
  const runtimeId = await startOn(client, { startMs: 0, endMs: 45_000 });
  // The data root after a kill in the fourth window.
  await measured(client, runtimeId, 25_000);
  copyAsLeft(root, copy);
  copyAsLeft(root, damaged);
  await damageNewestWindow(damaged);
  await followed(client, runtimeId);
  const facts = await factsOf(client, runtimeId);
  t.true(facts.some(({ kind, facts: found }) => kind === 'speech_activity' && (found?.length ?? 0) > 5));
  await host.stop();
  await checkRuntimes(t, root);

  const next = await hostOn(t, copy);
  t.true((await measured(next.client, runtimeId, 1)) >= 24_000);
  await followed(next.client, runtimeId);
  t.regex(windowLines(next.host.reported()).join('\n'), /^a pass over sha256:[0-9a-f]{64} goes on at 24000 ms$/);
  t.deepEqual(await factsOf(next.client, runtimeId), facts);
  await next.host.stop();
  await checkRuntimes(t, copy);
  t.is(await objectsIn(copy), await objectsIn(root), 'no window is left');

  const third = await hostOn(t, damaged);
  await followed(third.client, runtimeId);
  const [found = '', continued = ''] = windowLines(third.host.reported());
  t.regex(found, /^sha256:[0-9a-f]{64}, kept of a window of a pass, is damaged; the window is measured again$/);
  t.regex(continued, /goes on at 16000 ms$/);
  t.deepEqual(await factsOf(third.client, runtimeId), facts);
  await third.host.stop();
  await checkRuntimes(t, damaged);
});

/** How many windows a host has kept by now. */
async function windowsKept(t: ExecutionContext, root: string): Promise<number> {
  const copy = await newRoot(t);
  copyAsLeft(root, copy);
  const { ledger } = await openStore(copy);
  const rows = await ledger.list('operation');
  await ledger.close();
  return rows.filter(({ value }) => windowRow.safeParse(value).success).length;
}

const erasureNote = z.object({ objects: z.array(z.string()) });

/** The objects that a host has noted to go because a study came to nothing. */
async function abandonedObjects(t: ExecutionContext, root: string, runtimeId: string): Promise<readonly string[]> {
  const copy = await newRoot(t);
  copyAsLeft(root, copy);
  const { ledger } = await openStore(copy);
  const note = ledger.get('record', `${erasingPrefix}${runtimeId}`);
  await ledger.close();
  return erasureNote.safeParse(note).data?.objects ?? [];
}

test('bug: a long study that was canceled kept its windows and keyframes for ever', async (t) => {
  t.timeout(240_000, 'a pass on a busy machine');
  const root = await newRoot(t);
  const { host, client } = await hostOn(t, root);
  const runtimeId = await startOn(client, { startMs: 0, endMs: 45_000 });
  await measured(client, runtimeId, 17_000);
  t.true((await windowsKept(t, root)) > 0);
  await client.cancel(runtimeId);
  await eventually('the end of all windows', async () => (await windowsKept(t, root)) === 0, 50);
  t.is((await client.status(runtimeId)).lifecycle, 'interrupted');
  const isAbandoned = async () => (await abandonedObjects(t, root, runtimeId)).length > 0;
  await eventually('a note that the keyframes go as well', isAbandoned, 50);
  await host.stop();
  await checkRuntimes(t, root);
});

const calibrated = ['--forecast-estimator', 'host-calibrated'];

/** A clock on which a second of work takes this many. */
const slowness = 1000;

const began = systemClock.now();

const slowClock = { ...systemClock, now: () => began + (systemClock.now() - began) * slowness };

async function slowHostOn(t: ExecutionContext, root: string, flags: readonly string[]) {
  const { host, client } = await openClientHost(t, root, { flags, clock: slowClock });
  return { host, client, source: await sampleOf(client) };
}

const rangeAt = (at: number) => ({
  range: { startMs: at * 1000, endMs: at * 1000 + 1000 },
  requestedSourceLanguage: { mode: 'automatic', languages: [], reason: null } as const,
  targetLanguage: 'en',
});

const plan = async (client: StudyHost, source: SourceSessionRow) =>
  runtimePlan.parse(await client.plan(source, rangeAt(20)));

test('after five studies a host estimates the length of the sixth, and other hosts do not', async (t) => {
  const root = await newRoot(t);
  const { host, client, source } = await slowHostOn(t, root, calibrated);
  const floor = await plan(client, source);
  t.is(floor.forecast.estimator.id, 'studio.forecast.deterministic-floor');
  const studies: string[] = [];
  for (const at of [1, 2, 3, 4]) studies.push((await client.study(source, rangeAt(at)).ended()).runtimeId);
  // Nothing runs for a study whose operations have results, so that nothing is learned from it.
  await client.study(source, { ...rangeAt(4), clientRequestId: 'again' }).ended();
  t.deepEqual(await plan(client, source), floor);
  studies.push((await client.study(source, rangeAt(5)).ended()).runtimeId);

  const planned = await plan(client, source);
  t.deepEqual({ ...planned, forecast: null }, { ...floor, forecast: null });
  const { forecast } = planned;
  if (forecast.calibration.status !== 'available') return t.fail('the sixth plan is not calibrated');
  t.deepEqual(
    forecast.calibration.cohort.map(({ cohort, observations }) => [cohort.capability, observations.length]),
    [
      ['media.detect', 5],
      ['media.subtitles', 5],
    ],
  );
  const [detect] = forecast.calibration.cohort;
  t.deepEqual(detect?.cohort.video, { codec: 'h264', size: 'sd' });
  // No study of a second takes as little as 20 ms; by this clock that is 20 s.
  t.true(detect?.observations.every(({ workMs }) => workMs > 20 * slowness));
  t.true(forecast.scenarios.expected.elapsedDurationMs !== null);

  // The figures of a study are numbers without a name: they outlive the study.
  await client.deletions.runtime(studies[0] ?? '');
  t.deepEqual(await plan(client, source), planned);
  await host.stop();

  const usual = await slowHostOn(t, root, []);
  t.deepEqual(await plan(usual.client, source), floor);
  await usual.host.stop();

  const next = await slowHostOn(t, root, calibrated);
  t.deepEqual(await plan(next.client, source), planned);
  const { runtimeId } = await next.client.study(source, rangeAt(20)).ended();
  const { runStartReceipt } = await next.client.status(runtimeId);
  t.deepEqual(runStartReceipt?.record.forecast, planned.forecast);
  await next.host.stop();
  await checkRuntimes(t, root);
});
