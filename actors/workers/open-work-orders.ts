import type { Metric } from '../../contract/operation.ts';
import { SharedObjects } from '../../storage/objects/shared-objects.ts';
import type { HostBasis } from '../host-basis.ts';
import { LateOutcomes } from './late-outcomes.ts';
import { SharedOutcomes, SharedWindows } from './shared-outcomes.ts';
import { WorkOrders } from './work-orders.ts';
import { WorkerFigures } from './worker-figures.ts';

/** Where a host has its operations carried out. */
export interface WorkQueueChoice {
  /** Of the Redis that tells workers of orders. */
  readonly address: string;
  /** The folder that host and workers share. */
  readonly objectSource: string;
}

export type OpenWorkOrdersOptions = Pick<HostBasis, 'ledger' | 'clock' | 'report'>;

/** The host's side of its workers. */
export interface OpenWorkOrders {
  readonly orders: WorkOrders;
  metrics(): readonly Metric[];
  close(): Promise<void>;
}

/** Between two looks at outcomes that no study waits for, in ms. */
const lookPauseMs = 10_000;

/** Opens the host's side of its workers. It resolves also while neither the queue nor the folder is there. */
export async function openWorkOrders(
  { address, objectSource }: WorkQueueChoice,
  { ledger, clock, report }: OpenWorkOrdersOptions,
): Promise<OpenWorkOrders> {
  const figures = new WorkerFigures();
  const outcomes = new SharedOutcomes(objectSource);
  const windows = new SharedWindows(objectSource);
  const objects = new SharedObjects(objectSource);
  const orders = new WorkOrders({ objects, outcomes, windows, clock, figures, report });
  // Only a host with workers loads the client of the queue.
  const { openOrderQueue } = await import('../../executors/workers/bullmq-queue.ts');
  const queue = openOrderQueue(address, orders.hear);
  orders.use(queue);
  const isWanted = (orderId: string) => orders.isWanted(orderId);
  const late = new LateOutcomes({
    ...{ ledger, outcomes, windows, isWanted, clock, figures, report },
    pauseMs: lookPauseMs,
  });
  late.begin();
  return {
    orders,
    metrics: () => [figures.metric()],
    close: async () => {
      await late.close();
      await queue.close();
    },
  };
}
