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

async function closedWithin(queue: ReturnType<typeof openOrderQueue>): Promise<number> {
  const startMs = performance.now();
  await queue.close();
  return performance.now() - startMs;
}

test('bug: a queue whose Redis was never up took 3 s to close', async (t) => {
  const address = `redis://127.0.0.1:${await unusedPort()}`;
  for (const waitMs of [0, 300]) {
    const queue = openOrderQueue(address, () => undefined);
    await delay(waitMs);
    await t.throwsAsync(queue.workers(), { instanceOf: QueueUnavailable });
    t.true((await closedWithin(queue)) < promptMs);
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
  t.true((await closedWithin(await opened())) < promptMs);
  const left = await opened();
  await redis.stop();
  while ((await left.workers().catch(() => null)) !== null) await delay(10);
  t.true((await closedWithin(left)) < promptMs);
});
