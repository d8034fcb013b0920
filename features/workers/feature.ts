import type { HostCore, OpenFeature } from '../../actors/host-feature.ts';
import type { ConfiguredFeature, Feature } from '../feature.ts';
import { openWorkOrders, type WorkQueueChoice } from './open-work-orders.ts';
import {
  demandObjectSource,
  workerRemedies,
  workerWords,
  workQueueFlags,
  workQueueNotice,
  workQueueOf,
} from './options.ts';
import { QueuedOperations } from './queued-operations.ts';
import { queuedRecognizer } from './queued-recognizer.ts';

/** Lets workers of a queue measure and recognize in the place of this host. */
async function open(workQueue: WorkQueueChoice, core: HostCore): Promise<OpenFeature> {
  const { orders, metrics, close } = await openWorkOrders(workQueue, core);
  core.engines.recognizeThrough((recognizer) => queuedRecognizer(recognizer, orders));
  return { operations: new QueuedOperations(core.objectStore, orders), metrics, close };
}

/** Measures and recognizes on other machines, over a queue and a folder that they share. */
export const workers: Feature = {
  name: 'workers',
  flags: { host: workQueueFlags },
  remedies: workerRemedies,
  options: (given) => {
    const workQueue = workQueueOf(given);
    if (workQueue === null) return (): ConfiguredFeature => ({ open: async () => ({}) });
    const check = () => demandObjectSource(workQueue);
    return (): ConfiguredFeature => ({
      open: (core) => open(workQueue, core),
      check,
      notices: [workQueueNotice(workQueue)],
      demand: async ({ isTried }) => {
        if (isTried('workers')) await check();
      },
    });
  },
  commands: {
    worker: {
      row: 'measures media for hosts with a work queue',
      words: workerWords,
      run: async (args, features) => (await import('./command.ts')).runWorker(args, features),
    },
  },
};
