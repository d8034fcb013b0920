import type { HostBasis } from '../../actors/host-basis.ts';
import type { Clock } from '../../contract/base/clock.ts';
import type { Metric } from '../../contract/operation.ts';
import { canonicalJson } from '../../formats/canonical-json.ts';
import type { Ledger } from '../../storage/ledger/ledger.ts';
import { OutcomeRefused, parsedOutcome } from './order-identity.ts';
import { SharedObjects } from './shared-objects.ts';
import { type OrderFile, SharedOutcomes, SharedWindows } from './shared-outcomes.ts';
import { WorkerFigures, WorkOrders } from './work-orders.ts';

/** The queue and the store of a host whose workers carry out its operations. */
export interface WorkQueueChoice {
  /** Of the Redis that tells workers of orders. */
  readonly address: string;
  /** The folder that host and workers share. */
  readonly objectSource: string;
}

type OpenWorkOrdersOptions = Pick<HostBasis, 'ledger' | 'clock' | 'report'>;

/** The host's side of its workers. */
interface OpenWorkOrders {
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
  const { openOrderQueue } = await import('./engine/bullmq-queue.ts');
  const queue = openOrderQueue(address, orders.receive);
  orders.use(queue);
  const isWanted = (orderId: string) => orders.isWanted(orderId);
  const late = new LateOutcomes({
    ledger,
    outcomes,
    windows,
    isWanted,
    clock,
    figures,
    report,
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

interface LateOutcomesOptions {
  readonly ledger: Pick<Ledger, 'getMany'>;
  readonly outcomes: SharedOutcomes;
  readonly windows: SharedWindows;
  /** True if a study of this host waits for an order. */
  readonly isWanted: (orderId: string) => boolean;
  readonly clock: Clock;
  readonly figures: WorkerFigures;
  readonly report: (line: string) => void;
  /** Between two looks, in ms. */
  readonly pauseMs: number;
}

/** Other hosts at the same folder may still want an outcome that is younger, in ms. */
const agreedRestMs = 3_600_000;
/** A failure that no study waited for is removed after this time, in ms: the next attempt runs again. */
const failureRestMs = 60_000;
/** An outcome without a study is removed after this time, in ms; and so are windows to which no worker has added one. */
const longestRestMs = 24 * agreedRestMs;

/**
 * Looks after outcomes that no study waits for: those of a run that was not the fastest, and those of studies that are gone. The
 * first result is kept. One that disagrees with it is a finding, and is set aside.
 */
export class LateOutcomes {
  readonly #options: LateOutcomesOptions;
  #timer: unknown = null;
  #looking: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(options: LateOutcomesOptions) {
    this.#options = options;
  }

  begin(): void {
    const { clock, pauseMs } = this.#options;
    if (this.#isClosed) return;
    this.#timer = clock.setTimeout(() => {
      // A folder that cannot be read now is looked at later.
      this.#looking = this.look().catch(() => undefined);
      void this.#looking.then(() => this.begin());
    }, pauseMs);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#options.clock.clearTimeout(this.#timer);
    await this.#looking;
  }

  /** Compares every outcome that no study waits for with the kept result, and removes windows that are left. */
  async look(): Promise<void> {
    const { outcomes, windows, isWanted, clock } = this.#options;
    for (const orderId of await outcomes.orders()) {
      if (this.#isClosed) return;
      if (isWanted(orderId)) continue;
      let first: unknown;
      for (const found of await outcomes.of(orderId)) first = await this.#judge(orderId, found, first);
    }
    for (const orderId of await windows.orders()) {
      if (this.#isClosed) return;
      const keptAt = (await windows.lastKeptAt(orderId)) ?? clock.now();
      if (!isWanted(orderId) && clock.now() - keptAt > longestRestMs) await windows.remove(orderId);
    }
  }

  /**
   * Resolves with the first result, to compare later ones with, if the ledger has none: recognized text has another key there.
   */
  async #judge(orderId: string, found: OrderFile, first: unknown): Promise<unknown> {
    const { ledger, outcomes, clock, figures, report } = this.#options;
    const age = clock.now() - found.writtenAt;
    const delivered = resultOf(found);
    if (typeof delivered === 'string') {
      const restMs = delivered === 'failed' ? failureRestMs : longestRestMs;
      if (age > restMs) await outcomes.remove(orderId, found.name);
      return first;
    }
    const [stored] = await ledger.getMany('operation', [delivered.operationKey]);
    const taken = stored ?? first;
    if (taken === undefined) {
      if (age > longestRestMs) await outcomes.remove(orderId, found.name);
    } else if (canonicalJson(taken) === canonicalJson(delivered.result)) {
      if (age > agreedRestMs) await outcomes.remove(orderId, found.name);
    } else {
      figures.count('disagreeing');
      report(
        `${delivered.worker} came to another result of operation ${delivered.operationKey} than the kept one; it is set aside as ${orderId}-${found.name}`,
      );
      await outcomes.setAside(orderId, found.name);
    }
    return taken ?? delivered.result;
  }
}

/** The completed result of a worker, its failure, or that the file is not an outcome. */
function resultOf(found: OrderFile) {
  try {
    const { operationKey, worker, outcome } = parsedOutcome(found);
    return outcome.state === 'completed' ? { operationKey, worker, result: outcome.result } : 'failed';
  } catch (error) {
    if (error instanceof OutcomeRefused) return 'unreadable';
    throw error;
  }
}
