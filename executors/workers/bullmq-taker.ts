import { DelayedError, type Job, WaitingError, Worker } from 'bullmq';
import { OrderRefused, type OrderRun, type OrderTaker } from './order-queue.ts';
import { openRedis, QUEUE } from './redis-connection.ts';

/** After this pause an order that was refused is offered again, in ms. */
const refusalPauseMs = 2000;
/** Between two notes on how far an order is, in ms. */
const notePauseMs = 1000;
/** Refusals that were reported, and are not reported again. */
const mostRemembered = 1000;
/** So many workers may be lost over one order before the host is told that it cannot be carried out. */
const lostWorkers = 3;

export interface TakerOptions {
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

  const refused = new Set<string>();
  const refuse = async (job: Job, token: string | undefined, reason: string): Promise<never> => {
    // It is offered again and again.
    const line = `order ${job.id}: refused: ${reason}`;
    if (!refused.has(line)) report(line);
    if (refused.size >= mostRemembered) refused.clear();
    refused.add(line);
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
