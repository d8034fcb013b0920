import { counter } from '../../actors/operation/metrics.ts';
import type { Clock } from '../../contract/base/clock.ts';
import type { Metric } from '../../contract/operation.ts';
import type { WorkOrder } from '../../contract/workers.ts';
import { type OrderNews, type OrderQueue, QueueUnavailable } from './engine/order-queue.ts';
import { OperationFailed, OutcomeRefused, orderIdOf, readOutcome } from './order-identity.ts';
import { ObjectSourceFault, type SharedObjects } from './shared-objects.ts';
import type { SharedOutcomes, SharedWindows } from './shared-outcomes.ts';

const outcomes = ['taken', 'failed', 'refused', 'disagreeing'] as const;
type OutcomeVerdict = (typeof outcomes)[number];

/** The verdicts on the outcomes of workers, since the start of the host. */
export class WorkerFigures {
  readonly #counts = new Map<OutcomeVerdict, number>(outcomes.map((verdict) => [verdict, 0]));

  count(verdict: OutcomeVerdict): void {
    this.#counts.set(verdict, this.of(verdict) + 1);
  }

  of(verdict: OutcomeVerdict): number {
    return this.#counts.get(verdict) ?? 0;
  }

  metric(): Metric {
    return counter(
      'media_study_worker_outcomes_total',
      'outcomes of workers: taken, failed, refused, or disagreeing with the first result under their operation key',
      [...this.#counts].map(([verdict, value]) => ({ labels: { verdict }, value })),
    );
  }
}

/** The signals of the queue about one order, for one operation that waits for it. */
class OrderSignal {
  /** The worker that gave the order back last, and why; null while none did. */
  refused: { readonly worker: string; readonly reason: string } | null = null;
  /** Why it cannot be carried out at all; null while it can. */
  lost: string | null = null;
  /** The end of the window that had been kept when workers were last lost over it, in ms; 0 if there was none. */
  reachedMs = 0;
  readonly #measured: (completedMs: number, totalMs: number) => void;
  #isNotified = false;
  #notify: () => void = () => undefined;

  constructor(measured: (completedMs: number, totalMs: number) => void) {
    this.#measured = measured;
  }

  receive(news: OrderNews): void {
    if (news.kind === 'measured') {
      this.#measured(news.completedMs, news.totalMs);
      return;
    }
    if (news.kind === 'refused') this.refused = { worker: news.worker, reason: news.reason };
    if (news.kind === 'lost') this.lost = news.reason;
    this.#isNotified = true;
    this.#notify();
  }

  /** Workers were lost over it, but it has come as far as this meanwhile, in ms. */
  resetLossCount(reachedMs: number): void {
    this.lost = null;
    this.reachedMs = reachedMs;
  }

  /** Waits until there are news, at most so long, in ms. Rejects once the signal is aborted. */
  async notified(clock: Clock, atMostMs: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (!this.#isNotified) {
      await new Promise<void>((resolve) => {
        const done = () => {
          clock.clearTimeout(timer);
          signal.removeEventListener('abort', done);
          resolve();
        };
        const timer = clock.setTimeout(done, atMostMs);
        this.#notify = done;
        signal.addEventListener('abort', done, { once: true });
      });
    }
    this.#isNotified = false;
    signal.throwIfAborted();
  }
}

interface WorkOrdersOptions {
  readonly objects: SharedObjects;
  readonly outcomes: SharedOutcomes;
  readonly windows: SharedWindows;
  readonly clock: Clock;
  readonly figures: WorkerFigures;
  readonly report: (line: string) => void;
}

/** An order, and what its host does about it. */
interface Delivery<Result> {
  readonly order: WorkOrder;
  /** Sees to it that every input is in the object source. */
  readonly provide: (objects: SharedObjects) => Promise<void>;
  /** Verifies the result of a worker and takes it over. Rejects with `OutcomeRefused` if it does not count. */
  readonly accept: (result: unknown, objects: SharedObjects) => Promise<Result>;
}

interface DeliveryWatch {
  readonly signal: AbortSignal;
  /** Called with the read part of the media, and the total, in ms of its time. */
  readonly measured: (completedMs: number, totalMs: number) => void;
  /** Called with the thing that the order waits for, in words for people; null once it waits no more. */
  readonly waits: (reason: string | null) => void;
}

/** An order is looked after at least so often, whatever the queue tells, in ms. */
const lookMs = 2000;
/** The queue has let go of an order: its outcome is there, or the queue is notified of it again, within this time in ms. */
const goneMs = 200;
/** After so many outcomes that did not count, an operation has come to nothing. */
const mostRefused = 5;

type Attempt<Result> = { readonly taken: Result } | { readonly waitsFor: string | null; readonly pauseMs: number };

/**
 * Gives orders to workers. The object source has the outcome of an order, and the queue only signals it. An order that the queue
 * has lost is put there again.
 */
export class WorkOrders {
  readonly #options: WorkOrdersOptions;
  readonly #signals = new Map<string, Set<OrderSignal>>();
  #queue: OrderQueue | null = null;
  /** The last report about a queue that does not answer; null while it does. */
  #trouble: string | null = null;

  constructor(options: WorkOrdersOptions) {
    this.#options = options;
  }

  /** Names the queue, whose news come by `receive`. */
  use(queue: OrderQueue): void {
    this.#queue = queue;
  }

  readonly receive = (id: string, news: OrderNews): void => {
    for (const orderSignal of this.#signals.get(id) ?? []) orderSignal.receive(news);
  };

  /** True if an operation of this host waits for an order. */
  isWanted(id: string): boolean {
    return this.#signals.has(id);
  }

  /**
   * The first outcome of an order that counts. Rejects with `OperationFailed` if the operation failed, and with the errors of
   * `provide` and `accept`. An outcome that does not count is set aside, and the order is signaled again.
   */
  async carriedOut<Result>(delivery: Delivery<Result>, watch: DeliveryWatch): Promise<Result> {
    const id = orderIdOf(delivery.order);
    const orderSignal = this.#listen(id, watch.measured);
    try {
      for (let refused = 0; ; ) {
        const count = () => {
          refused += 1;
          if (refused >= mostRefused) throw new OperationFailed(`${refused} results of workers did not count`);
        };
        const attempt = await this.#attempt(id, delivery, orderSignal, count);
        if ('taken' in attempt) return attempt.taken;
        watch.waits(attempt.waitsFor);
        await orderSignal.notified(this.#options.clock, attempt.pauseMs, watch.signal);
      }
    } finally {
      this.#forget(id, orderSignal);
      watch.waits(null);
      if (watch.signal.aborted && !this.isWanted(id)) await this.#queue?.withdraw(id).catch(() => undefined);
    }
  }

  async #attempt<Result>(
    id: string,
    delivery: Delivery<Result>,
    orderSignal: OrderSignal,
    refused: () => void,
  ): Promise<Attempt<Result>> {
    const { objects, outcomes, figures } = this.#options;
    try {
      for (const found of await outcomes.of(id)) {
        try {
          const outcome = readOutcome(found, id, delivery.order);
          if (outcome.outcome.state === 'failed') {
            // A new attempt is to run again, as it would here.
            await outcomes.remove(id, found.name);
            figures.count('failed');
            throw new OperationFailed(outcome.outcome.message);
          }
          const taken = await delivery.accept(outcome.outcome.result, objects);
          figures.count('taken');
          return { taken };
        } catch (error) {
          if (!(error instanceof OutcomeRefused)) throw error;
          await this.#setAside(id, found.name, error);
          refused();
        }
      }
      if (orderSignal.lost !== null) await this.#resetLossCount(id, orderSignal, orderSignal.lost);
      await delivery.provide(objects);
      return await this.#notify(id, delivery.order, orderSignal);
    } catch (error) {
      if (error instanceof ObjectSourceFault) return { waitsFor: `waiting: ${error.message}`, pauseMs: lookMs };
      throw error;
    }
  }

  /** The count of workers lost one after the other restarts if a window was kept since. */
  async #resetLossCount(id: string, orderSignal: OrderSignal, lost: string): Promise<void> {
    const [endMs = 0] = await this.#options.windows.endsMs(id);
    if (endMs <= orderSignal.reachedMs) throw new OperationFailed(`workers were lost over it: ${lost}`);
    orderSignal.resetLossCount(endMs);
  }

  async #setAside(id: string, name: string, { message }: OutcomeRefused): Promise<void> {
    const { outcomes, figures, report } = this.#options;
    figures.count('refused');
    report(
      `a result of order ${id} was refused: ${message}; it is in the folder set-aside, and the order is given again`,
    );
    await outcomes.setAside(id, name);
  }

  async #notify(
    id: string,
    order: WorkOrder,
    orderSignal: OrderSignal,
  ): Promise<{ waitsFor: string | null; pauseMs: number }> {
    try {
      if (this.#queue === null) throw new QueueUnavailable('it is not open yet');
      const state = await this.#queue.notify(id, order);
      this.#say(null);
      if (state === 'gone') return { waitsFor: null, pauseMs: goneMs };
      if (state === 'taken') return { waitsFor: null, pauseMs: lookMs };
      return { waitsFor: waitingText(orderSignal, await this.#queue.workers()), pauseMs: lookMs };
    } catch (error) {
      if (!(error instanceof QueueUnavailable)) throw error;
      this.#say(error.message);
      return { waitsFor: `waiting for the work queue: ${error.message}`, pauseMs: lookMs };
    }
  }

  #say(trouble: string | null): void {
    if (trouble === this.#trouble) return;
    this.#trouble = trouble;
    const { report } = this.#options;
    if (trouble === null) report('the work queue answers');
    else report(`the work queue does not answer: ${trouble}; studies wait for it`);
  }

  #listen(id: string, measured: DeliveryWatch['measured']): OrderSignal {
    const orderSignal = new OrderSignal(measured);
    const signals = this.#signals.get(id) ?? new Set();
    this.#signals.set(id, signals.add(orderSignal));
    return orderSignal;
  }

  #forget(id: string, orderSignal: OrderSignal): void {
    const signals = this.#signals.get(id);
    signals?.delete(orderSignal);
    if (signals?.size === 0) this.#signals.delete(id);
  }
}

function waitingText({ refused }: OrderSignal, workers: number): string {
  if (workers === 0) return 'waiting for a worker: none is connected to the work queue';
  if (refused === null) return 'waiting for a worker: all that are connected are busy';
  return `waiting for a worker: ${refused.worker} refused: ${refused.reason}`;
}
