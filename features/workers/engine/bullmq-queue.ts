import { setTimeout as delay } from 'node:timers/promises';
import { DelayedError, type Job, Queue, QueueEvents, WaitingError, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { WorkOrder } from '../../../contract/workers.ts';
import {
  type OrderNews,
  type OrderQueue,
  OrderRefused,
  type OrderRun,
  type OrderState,
  type OrderTaker,
  QueueUnavailable,
} from './order-queue.ts';

/** The name of the queue, and what the names of all its keys begin with. */
const QUEUE = { name: 'orders', prefix: 'media-study' } as const;

const longestPauseMs = 2000;

interface OpenRedis {
  readonly redis: Redis;
  /** The newest error of the connection in words for people; null while it is up. */
  trouble(): string | null;
}

/** The reason why a Redis with this info is unsuitable; null if it is suitable. */
export function tooOld(info: string): string | null {
  const [, found = '', major = '0', minor = '0'] = /^redis_version:((\d+)\.(\d+)\S*)/m.exec(info) ?? [];
  const isEnough = Number(major) > 6 || (Number(major) === 6 && Number(minor) >= 2);
  return isEnough ? null : `Redis ${found} is older than 6.2`;
}

/** A connection that never gives up. It never rejects and never throws: what is wrong with it is `trouble`. */
function openRedis(address: string): OpenRedis {
  let trouble: string | null = 'it has not answered yet';
  const redis = new Redis(address, {
    // Commands of workers wait for the connection; those of a host look at it first.
    maxRetriesPerRequest: null,
    retryStrategy: (attempt) => Math.min(attempt * 100, longestPauseMs),
  });
  redis.on('error', (error: Error) => {
    trouble = error.message === '' ? String((error as NodeJS.ErrnoException).code ?? error.name) : error.message;
  });
  redis.on('ready', () => {
    redis.info('server').then(
      (text) => {
        trouble = tooOld(text);
      },
      () => undefined,
    );
  });
  redis.on('close', () => {
    trouble ??= 'it closed the connection';
  });
  return { redis, trouble: () => trouble };
}

/** A queue that does not answer within this time counts as one that is down, in ms. */
const patienceMs = 3000;

/** The notes of workers on an order under way: how far it is, and that they give it back. */
const measuredNote = z
  .strictObject({ completedMs: z.number().nonnegative(), totalMs: z.number().nonnegative() })
  .refine(({ completedMs, totalMs }) => completedMs <= totalMs);
const refusedNote = z.strictObject({ refusedBy: z.string().max(160), reason: z.string().max(2000) });

/** An order over which workers were lost stays in the queue until its host has seen it, or for this time, in s. */
const lostSeconds = 24 * 3600;
/** As many orders as a host has at once, and more. */
const mostNotified = 10_000;
/** Between two notes on how far an order is, in ms. */
const notePauseMs = 1000;

/** Opens the host's end of a queue in Redis, which may be down. */
export function openOrderQueue(address: string, onNews: (id: string, news: OrderNews) => void): OrderQueue {
  const { redis, trouble } = openRedis(address);
  // A shared connection is not closed with the queue; the events need one of their own, because they wait in it.
  const { redis: listening } = openRedis(address);
  // They would wait in a copy of it, which cannot be closed while Redis is down.
  listening.duplicate = () => listening;
  const options = { prefix: QUEUE.prefix, skipVersionCheck: true };
  const queue = new Queue(QUEUE.name, { ...options, connection: redis });
  const events = new QueueEvents(QUEUE.name, { ...options, connection: listening, autorun: false });
  // Reported if it matters: by `trouble`.
  queue.on('error', () => undefined);
  events.on('error', () => undefined);
  const changed = ({ jobId }: { readonly jobId: string }) => onNews(jobId, { kind: 'changed' });
  events.on('active', changed);
  events.on('completed', changed);
  // An entry of the stream of events is only a reason to look, because other programs can write there. The order has the facts.
  const looked = (jobId: string, look: (id: string) => Promise<void>): void => {
    if (notified.has(jobId)) look(jobId).catch(() => undefined);
  };
  events.on('progress', ({ jobId, data }) => {
    const note = measuredNote.safeParse(data).data;
    if (note !== undefined) onNews(jobId, { kind: 'measured', ...note });
    else looked(jobId, refusedBy);
  });
  events.on('failed', ({ jobId }) => looked(jobId, async (id) => void (await wasLost(id))));

  /** The newest orders of this host: events of others, and what came of earlier attempts, count for nothing. */
  const notified = new LRUCache<string, true>({ max: mostNotified });
  const refusedBy = async (id: string): Promise<void> => {
    const note = refusedNote.safeParse((await queue.getJob(id))?.progress).data;
    if (note !== undefined) onNews(id, { kind: 'refused', worker: note.refusedBy, reason: note.reason });
  };
  /** True if too many workers were lost over an order. It is taken out of the queue, so that it can be given again. */
  const wasLost = async (id: string): Promise<boolean> => {
    if ((await queue.getJobState(id)) !== 'failed') return false;
    const job = await queue.getJob(id);
    await queue.remove(id);
    if (notified.has(id)) onNews(id, { kind: 'lost', reason: job?.failedReason ?? 'the queue names no reason' });
    return true;
  };

  const stop = new AbortController();
  const listen = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      // An entry that the library cannot read, such as broken JSON, ends its loop. The entries behind it count.
      await events.run().catch(() => undefined);
      await delay(notePauseMs, undefined, { signal: stop.signal, ref: false }).catch(() => undefined);
    }
  };
  void listen();

  const asked = async <Answer>(ask: () => Promise<Answer>): Promise<Answer> => {
    const wrong = redis.status === 'ready' ? trouble() : (trouble() ?? 'it has not answered yet');
    if (wrong !== null) throw new QueueUnavailable(wrong);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new QueueUnavailable('it does not answer')), patienceMs);
    });
    try {
      return await Promise.race([ask(), late]);
    } catch (error) {
      if (error instanceof QueueUnavailable) throw error;
      throw new QueueUnavailable(error instanceof Error ? error.message : String(error), error);
    } finally {
      clearTimeout(timer);
    }
  };
  return {
    notify: (id: string, order: WorkOrder) =>
      asked(async (): Promise<OrderState> => {
        // An order that is known is left as it is: its id stands for all that it carries.
        // One that was never notified here was lost at an earlier attempt, and is given again.
        if ((await wasLost(id)) && notified.has(id)) return 'gone';
        notified.set(id, true);
        const kept = { removeOnComplete: true, removeOnFail: { age: lostSeconds } };
        await queue.add(order.task.capability, order, { jobId: id, ...kept });
        const state = await queue.getJobState(id);
        if (state === 'active') return 'taken';
        return ['waiting', 'delayed', 'prioritized'].includes(state) ? 'waiting' : 'gone';
      }),
    withdraw: (id) => {
      notified.delete(id);
      return asked(async () => void (await queue.remove(id)));
    },
    workers: () => asked(() => queue.getWorkersCount()),
    close: async () => {
      stop.abort();
      const isUp = [redis, listening].every(({ status }) => status === 'ready');
      const closing = Promise.allSettled([events.close(), queue.close()]);
      for (const each of [redis, listening]) each.disconnect();
      // A connection that is down has nothing to end, and emits nothing when it ends.
      if (isUp) await Promise.race([closing, new Promise((resolve) => setTimeout(resolve, patienceMs).unref())]);
    },
  };
}

/** After this pause an order that was refused is offered again, in ms. */
const refusalPauseMs = 2000;
/** Refusals that were reported, and are not reported again. */
const mostRemembered = 1000;
/** The number of workers that may be lost over one order before the host learns that it cannot be carried out. */
const lostWorkers = 3;

interface TakerOptions {
  /** How other machines name this worker. */
  readonly name: string;
  /** After so many ms without a sign of life of a worker, others take its order. */
  readonly leaseMs: number;
  /** Carries an order out. It rejects with `OrderRefused` where it cannot; other errors count as that, too. */
  readonly carryOut: (order: unknown, run: OrderRun) => Promise<void>;
  readonly report: (line: string) => void;
}

/** Begins to take orders from a queue in Redis, which may be down, one after the other. */
export function takeOrders(address: string, options: TakerOptions): OrderTaker {
  const { name, leaseMs, carryOut, report } = options;
  const { redis, trouble } = openRedis(address);
  // BullMQ waits for orders in a copy of the connection, and does not close it while Redis is down.
  const connections = [redis];
  const duplicate = redis.duplicate.bind(redis);
  redis.duplicate = (override) => {
    const copy = duplicate(override);
    connections.push(copy);
    return copy;
  };
  const stop = new AbortController();

  const refused = new LRUCache<string, true>({ max: mostRemembered });
  const refuse = async (job: Job, token: string | undefined, reason: string): Promise<never> => {
    // It is offered again and again.
    const line = `order ${job.id}: refused: ${reason}`;
    if (!refused.has(line)) report(line);
    refused.set(line, true);
    await job.updateProgress({ refusedBy: name, reason: reason.slice(0, 1000) });
    await job.moveToDelayed(Date.now() + refusalPauseMs, token);
    throw new DelayedError();
  };

  const worker = new Worker(
    QUEUE.name,
    async (job, token) => {
      let notedAt = Number.NEGATIVE_INFINITY;
      const measured = (completedMs: number, totalMs: number) => {
        if (performance.now() - notedAt < notePauseMs) return;
        notedAt = performance.now();
        job.updateProgress({ completedMs, totalMs }).catch(() => undefined);
      };
      try {
        await carryOut(job.data, { id: job.id ?? '', signal: stop.signal, measured });
      } catch (error) {
        if (stop.signal.aborted) {
          await job.moveToWait(token);
          throw new WaitingError();
        }
        const reason = error instanceof Error ? error.message : String(error);
        return refuse(job, token, error instanceof OrderRefused ? reason : `it could not be carried out: ${reason}`);
      }
    },
    {
      connection: redis,
      prefix: QUEUE.prefix,
      name,
      skipVersionCheck: true,
      lockDuration: leaseMs,
      stalledInterval: leaseMs,
      maxStalledCount: lostWorkers,
      // A worker that another has taken its place from waits no longer than that for the queue to come back.
      runRetryDelay: notePauseMs,
    },
  );
  let said: string | null = null;
  worker.on('error', () => {
    const now = trouble();
    if (now !== null && now !== said) report(`the work queue does not answer: ${now}; the worker goes on trying`);
    said = now;
  });
  return {
    close: async () => {
      stop.abort();
      await Promise.race([worker.close(), new Promise((resolve) => setTimeout(resolve, 2 * notePauseMs).unref())]);
      for (const each of connections) each.disconnect();
    },
  };
}
