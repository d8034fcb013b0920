import { join } from 'node:path';
import anyTest, { type TestFn } from 'ava';
import { checkRuntimes } from '../../crash/checks.ts';
import { QueuedHost } from './queued-host.ts';
import { redisServer } from './redis-for-tests.ts';

// One host with one queue, whose studies are of ranges that no other test studies.

const test = (redisServer === null ? anyTest.skip : anyTest.serial) as TestFn['serial'];

let queued: QueuedHost;

anyTest.before(async () => {
  queued = await QueuedHost.create();
});

anyTest.after.always(() => queued.close());

test('a study waits while the queue is full, and says so; an outcome that the queue cannot note is taken all the same', async (t) => {
  await queued.redis.start();
  await queued.start(t, 'data');
  await queued.redis.limitMemory(1);
  const runtimeId = await queued.begun(0);
  await queued.says(t, runtimeId, /^waiting for the work queue: OOM command not allowed/);
  t.is((await queued.situation(runtimeId)).code, 'waiting_for_a_worker');

  await queued.redis.limitMemory(0);
  await queued.ffmpeg.close();
  await queued.worker();
  await queued.says(t, runtimeId, /^studying: measuring/);
  // It is full again, and takes no note of what becomes of the order.
  await queued.redis.limitMemory(1);
  await queued.ffmpeg.open();
  await queued.until(t, 'the first outcome is taken', async () => (await queued.counted('taken')) === 1);
  await queued.redis.limitMemory(0);
  await queued.isOver(t, runtimeId);
  t.is(await queued.counted('taken'), 2);
  await Promise.all(queued.workers.map((each) => each.kill()));
});

test('a study over which four workers were lost fails, and the next attempt is measured', async (t) => {
  await queued.ffmpeg.close();
  const runtimeId = await queued.begun(1000);
  for (let nth = 0; nth < 4; nth += 1) {
    const before = await queued.ffmpeg.passes();
    const doomed = await queued.worker();
    await queued.until(t, 'the worker has begun', async () => (await queued.ffmpeg.passes()) > before);
    await doomed.kill();
  }
  // Only a worker that is there can find that another is gone.
  await queued.worker();
  await queued.until(t, 'the study has failed', async () => (await queued.client.status(runtimeId)).terminal);
  const { lifecycle, reason } = await queued.client.status(runtimeId);
  t.is(lifecycle, 'failed');
  t.like(reason, { code: 'executor_failed' });
  t.regex(reason?.message ?? '', /workers were lost over it/);
  await queued.ffmpeg.open();

  const [sample] = await queued.client.sources();
  if (sample === undefined) throw new Error('the host has no sample');
  const range = { startMs: 1000, endMs: 2000 };
  const again = queued.client.study(sample, { range, targetLanguage: 'en', clientRequestId: 'again' });
  t.is((await again.ended()).lifecycle, 'terminal');
  await queued.host.stop();
  await checkRuntimes(t, join(queued.folder, 'data'));
});
