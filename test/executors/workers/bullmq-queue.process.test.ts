import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import test from 'ava';
import { openOrderQueue } from '../../../executors/workers/bullmq-queue.ts';
import { QueueUnavailable } from '../../../executors/workers/order-queue.ts';
import { RedisForTests, redisServer } from '../../actors/workers/redis-for-tests.ts';
import { unusedPort } from '../../unused-port.ts';

const testWithRedis = redisServer === null ? test.skip : test;

/** Less than a queue is waited for that does not answer; it takes some ms. */
const promptMs = 2000;

/** True if a queue closes promptly. A busy machine may hold up one of them, and not each of several. */
async function closesPromptly(open: () => Promise<ReturnType<typeof openOrderQueue>>): Promise<boolean> {
  for (let attempt = 0; attempt < 5; attempt += 1) {
    const queue = await open();
    const startMs = performance.now();
    await queue.close();
    if (performance.now() - startMs < promptMs) return true;
  }
  return false;
}

test('bug: a queue whose Redis was never up took 3 s to close', async (t) => {
  const address = `redis://127.0.0.1:${await unusedPort()}`;
  for (const waitMs of [0, 300]) {
    const lost = async () => {
      const queue = openOrderQueue(address, () => undefined);
      await delay(waitMs);
      await t.throwsAsync(queue.workers(), { instanceOf: QueueUnavailable });
      return queue;
    };
    t.true(await closesPromptly(lost));
  }
});

testWithRedis('a queue is closed promptly while its Redis is up, and after it has gone', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'queue-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const redis = await RedisForTests.create(folder);
  await redis.start();
  t.teardown(() => redis.stop());
  const opened = async () => {
    const queue = openOrderQueue(redis.address, () => undefined);
    while ((await queue.workers().catch(() => null)) === null) await delay(10);
    return queue;
  };
  t.true(await closesPromptly(opened));
  const left = await Promise.all([opened(), opened(), opened(), opened(), opened()]);
  await redis.stop();
  const abandoned = async () => {
    const [queue] = left.splice(0, 1);
    if (queue === undefined) throw new Error('no queue is left');
    while ((await queue.workers().catch(() => null)) !== null) await delay(10);
    return queue;
  };
  t.true(await closesPromptly(abandoned));
  await Promise.all(left.map((queue) => queue.close()));
});
