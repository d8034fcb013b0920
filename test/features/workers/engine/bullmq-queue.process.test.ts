import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { UnrecoverableError, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import type { WorkOrder } from '../../../../contract/workers.ts';
import { openOrderQueue } from '../../../../features/workers/engine/bullmq-queue.ts';
import { type OrderNews, QueueUnavailable } from '../../../../features/workers/engine/order-queue.ts';
import { RedisForTests, redisServer } from '../../../redis-for-tests.ts';
import { unusedPort } from '../../../unused-port.ts';

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

const order = { task: { capability: 'media.subtitles' } } as WorkOrder;
const [id, other] = ['a'.repeat(64), 'b'.repeat(64)];

/** A host's end of a queue in a real Redis, its news, and a hand that can write to the stream of events. */
async function listening(t: ExecutionContext) {
  const folder = await mkdtemp(join(tmpdir(), 'queue-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const redis = await RedisForTests.create(folder);
  await redis.start();
  t.teardown(() => redis.stop());
  const news: (readonly [string, OrderNews])[] = [];
  const queue = openOrderQueue(redis.address, (of, each) => news.push([of, each]));
  t.teardown(() => queue.close());
  while ((await queue.workers().catch(() => null)) === null) await delay(10);
  const hand = new Redis(redis.address, { maxRetriesPerRequest: null });
  t.teardown(() => hand.disconnect());
  const forge = (...fields: readonly string[]) => hand.xadd('media-study:orders:events', '*', ...fields);
  /** The entries before it were looked at: this one comes behind them, again and again until the queue reads the stream. */
  const caughtUp = async () => {
    const mark = String(news.length);
    while (!news.some(([of]) => of === `mark ${mark}`)) {
      await forge('event', 'active', 'jobId', `mark ${mark}`);
      await delay(20);
    }
    return news.filter(([of]) => !of.startsWith('mark '));
  };
  /** A worker that fails every order that it gets, once. */
  const failing = (reason: string) => {
    const connection = new Redis(redis.address, { maxRetriesPerRequest: null });
    const fail = async () => {
      throw new UnrecoverableError(reason);
    };
    const worker = new Worker('orders', fail, { connection, prefix: 'media-study', skipVersionCheck: true });
    t.teardown(async () => {
      await worker.close();
      connection.disconnect();
    });
  };
  return { queue, hand, forge, caughtUp, failing, news };
}

testWithRedis('bug: whoever wrote an entry into the stream of events ended the study of an order', async (t) => {
  const { queue, forge, caughtUp } = await listening(t);
  t.is(await queue.notify(id, order), 'waiting');
  await caughtUp();
  await forge('event', 'failed', 'jobId', id, 'failedReason', 'forged', 'prev', 'active');
  await forge('event', 'failed', 'jobId', other, 'failedReason', 'forged');
  await forge('event', 'progress', 'jobId', id, 'data', '{"refusedBy":"nobody","reason":"forged"}');
  await forge('event', 'progress', 'jobId', id, 'data', '{"completedMs":2,"totalMs":1}');
  await forge('event', 'completed', 'jobId', id, 'returnvalue', 'null');
  await forge('event', 'completed', 'jobId', id, 'returnvalue', 'null');
  const kinds = new Set((await caughtUp()).map(([, { kind }]) => kind));
  t.deepEqual([...kinds], ['changed']);
  t.is(await queue.notify(id, order), 'waiting');
});

testWithRedis('bug: an entry that the queue could not read ended its listening', async (t) => {
  const { forge, caughtUp } = await listening(t);
  await caughtUp();
  const garbage = [
    ['event', 'progress', 'jobId', id, 'data', '{no json'],
    ['event', 'completed', 'jobId', id, 'returnvalue', 'undefined'],
    ['event', 'error', 'jobId', id],
    ['event', 'close'],
    ['what', 'ever'],
  ];
  for (const fields of garbage) {
    await forge(...fields);
    await caughtUp();
  }
  t.pass();
});

testWithRedis('an order over which workers were lost says so once, and can be given again', async (t) => {
  const { queue, caughtUp, failing, news } = await listening(t);
  t.is(await queue.notify(id, order), 'waiting');
  failing('job stalled more than allowable limit');
  while (!news.some(([, { kind }]) => kind === 'lost')) {
    await caughtUp();
    await queue.notify(id, order);
  }
  t.deepEqual(
    news.find(([, { kind }]) => kind === 'lost'),
    [id, { kind: 'lost', reason: 'job stalled more than allowable limit' }],
  );
  t.not(await queue.notify(id, order), 'taken');
});

testWithRedis('what became of an order at an earlier attempt does not end the next one', async (t) => {
  const { queue, hand, news, caughtUp } = await listening(t);
  await queue.notify(other, order);
  await caughtUp();
  // As an earlier host left it: failed, and not seen by anyone.
  await hand.lrem('media-study:orders:wait', 0, other);
  await hand.zadd('media-study:orders:failed', Date.now(), other);
  await hand.hset(`media-study:orders:${other}`, { failedReason: 'stalled', finishedOn: Date.now() });
  const next = openOrderQueue(`redis://127.0.0.1:${hand.options.port}`, (of, each) => news.push([of, each]));
  t.teardown(() => next.close());
  while ((await next.workers().catch(() => null)) === null) await delay(10);
  t.is(await next.notify(other, order), 'waiting');
  t.false(news.some(([, { kind }]) => kind === 'lost'));
});
