import { Queue, QueueEvents } from 'bullmq';
import { z } from 'zod';
import type { WorkOrder } from '../../contract/workers/work-order.ts';
import { type OrderNews, type OrderQueue, type OrderState, QueueUnavailable } from './order-queue.ts';
import { openRedis, QUEUE } from './redis-connection.ts';

/** A queue that does not answer within this time counts as one that is down, in ms. */
const patienceMs = 3000;

/** What workers tell of an order under way. */
export const progressNote = z.union([
  z.strictObject({ completedMs: z.number().nonnegative(), totalMs: z.number().nonnegative() }),
  z.strictObject({ refusedBy: z.string().max(160), reason: z.string().max(2000) }),
]);

/** Opens the host's end of a queue in Redis, which may be down. */
export function openOrderQueue(address: string, tell: (id: string, news: OrderNews) => void): OrderQueue {
  const { redis, trouble } = openRedis(address);
  // A shared connection is not closed with the queue; the events need one of their own, because they wait in it.
  const { redis: listening } = openRedis(address);
  // They would wait in a copy of it, which nobody could close while Redis is down.
  listening.duplicate = () => listening;
  const options = { prefix: QUEUE.prefix, skipVersionCheck: true };
  const queue = new Queue(QUEUE.name, { ...options, connection: redis });
  const events = new QueueEvents(QUEUE.name, { ...options, connection: listening });
  // Said where it matters: by `trouble`.
  queue.on('error', () => undefined);
  events.on('error', () => undefined);
  const changed = ({ jobId }: { readonly jobId: string }) => tell(jobId, { kind: 'changed' });
  events.on('active', changed);
  events.on('completed', changed);
  events.on('progress', ({ jobId, data }) => {
    const note = progressNote.safeParse(data).data;
    if (note === undefined) return;
    if ('completedMs' in note) tell(jobId, { kind: 'measured', ...note });
    else tell(jobId, { kind: 'refused', worker: note.refusedBy, reason: note.reason });
  });
  events.on('failed', ({ jobId, failedReason }) => tell(jobId, { kind: 'lost', reason: failedReason }));

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
    ring: (id: string, order: WorkOrder) =>
      asked(async (): Promise<OrderState> => {
        // An order that is known is left as it is: its id stands for all that it carries.
        await queue.add(order.task.capability, order, { jobId: id, removeOnComplete: true, removeOnFail: true });
        const state = await queue.getJobState(id);
        if (state === 'active') return 'taken';
        return ['waiting', 'delayed', 'prioritized'].includes(state) ? 'waiting' : 'gone';
      }),
    withdraw: (id) => asked(async () => void (await queue.remove(id))),
    workers: () => asked(() => queue.getWorkersCount()),
    close: async () => {
      const isUp = [redis, listening].every(({ status }) => status === 'ready');
      const closing = Promise.allSettled([events.close(), queue.close()]);
      for (const each of [redis, listening]) each.disconnect();
      // A connection that is down has nothing to end, and says nothing when it ends.
      if (isUp) await Promise.race([closing, new Promise((resolve) => setTimeout(resolve, patienceMs).unref())]);
    },
  };
}
