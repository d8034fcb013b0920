import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { systemClock } from '../../../actors/supervision/system-clock.ts';
import { StudyHost } from '../../../client/study-host.ts';
import type { SourceSessionRow } from '../../../contract/sources/source-session-list.ts';
import { runtimePlan } from '../../../contract/study/runtime-plan.ts';
import { checkRuntimes } from '../../crash/checks.ts';
import { openInProcess } from '../../host/host-in-process.ts';

const calibrated = ['--forecast-estimator', 'host-calibrated'];

/** A clock on which a second of work takes this many. */
const slowness = 1000;
const began = systemClock.now();
const slowClock = { ...systemClock, now: () => began + (systemClock.now() - began) * slowness };

async function hostOn(t: ExecutionContext, root: string, flags: readonly string[]) {
  const host = await openInProcess(t, root, { flags, clock: slowClock });
  const { listening = '', authorizationToken: token = '' } = host.announced ?? {};
  const client = StudyHost.connect({ baseUrl: listening, token });
  const [source] = await client.sources();
  if (source === undefined) throw new Error('the host has no sample');
  return { host, client, source };
}

const rangeAt = (at: number) => ({
  range: { startMs: at * 1000, endMs: at * 1000 + 1000 },
  requestedSourceLanguage: { mode: 'automatic', languages: [], reason: null } as const,
  targetLanguage: 'en',
});

const plan = async (client: StudyHost, source: SourceSessionRow) =>
  runtimePlan.parse(await client.plan(source, rangeAt(20)));

test('after five studies a host says how long the sixth will take; its start reopens, and others are told the floor', async (t) => {
  const root = await mkdtemp(join(tmpdir(), 'calibrated-'));
  t.teardown(() => rm(root, { recursive: true, force: true }));
  const { host, client, source } = await hostOn(t, root, calibrated);
  const floor = await plan(client, source);
  t.is(floor.forecast.estimator.id, 'studio.forecast.deterministic-floor');
  const studies: string[] = [];
  for (const at of [1, 2, 3, 4]) studies.push((await client.study(source, rangeAt(at)).ended()).runtimeId);
  // Nothing runs for a study whose operations have results, so that nothing is learned from it.
  await client.study(source, { ...rangeAt(4), clientRequestId: 'again' }).ended();
  t.deepEqual(await plan(client, source), floor);
  studies.push((await client.study(source, rangeAt(5)).ended()).runtimeId);

  const told = await plan(client, source);
  t.deepEqual({ ...told, forecast: null }, { ...floor, forecast: null });
  const { forecast } = told;
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

  // What a study showed is a number without a name: it outlives the study.
  await client.deletions.runtime(studies[0] ?? '');
  t.deepEqual(await plan(client, source), told);
  await host.stop();

  const usual = await hostOn(t, root, []);
  t.deepEqual(await plan(usual.client, source), floor);
  await usual.host.stop();

  const next = await hostOn(t, root, calibrated);
  t.deepEqual(await plan(next.client, source), told);
  const { runtimeId } = await next.client.study(source, rangeAt(20)).ended();
  const { runStartReceipt } = await next.client.status(runtimeId);
  t.deepEqual(runStartReceipt?.record.forecast, told.forecast);
  await next.host.stop();
  await checkRuntimes(t, root);
});
