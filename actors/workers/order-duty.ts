import { version } from '../../contract/base/program-version.ts';
import { type WorkOrder, type WorkOutcome, type WorkTask, workOrder } from '../../contract/workers.ts';
import type { OperationIdentity } from '../../executors/evidence/detection-identity.ts';
import { OrderRefused, type OrderRun } from '../../executors/workers/order-queue.ts';
import { storedBytes } from '../../formats/canonical-json.ts';
import { isFault } from '../../machines/study-types.ts';
import type { SharedObjects } from '../../storage/objects/shared-objects.ts';
import { inputsOf, missingTool, orderIdOf, taskKeyOf } from './order-identity.ts';
import { OperationFailed, OutcomeRefused } from './outcome-refused.ts';
import { readOutcome } from './read-outcome.ts';
import type { SharedOutcomes, SharedWindows } from './shared-outcomes.ts';

/** What a worker can do, with its own tools. */
export interface Ability {
  /** With which tools it does a task, set how; null for a task that it cannot do. */
  identity(task: WorkTask): OperationIdentity | null;
  /** Does it. What it finds is stored among the shared objects by then. Rejects where a tool came to nothing. */
  perform(task: WorkTask, run: OrderRun): Promise<unknown>;
}

export interface OrderDutyOptions {
  /** How other machines name this worker. */
  readonly name: string;
  readonly objects: SharedObjects;
  readonly outcomes: SharedOutcomes;
  readonly windows: Pick<SharedWindows, 'remove'>;
  readonly ability: Ability;
  readonly report: (line: string) => void;
}

// Failures that say something of this machine, and nothing of the media.
const ownFailures = /^(aborted|launch_failed|tool_missing|data_root_\w+|storage_\w+):/;

/** Carries out what comes from the queue, once everything in the order is checked. */
export class OrderDuty {
  readonly #options: OrderDutyOptions;

  constructor(options: OrderDutyOptions) {
    this.#options = options;
  }

  /** Resolves once the outcome is in the object source. Rejects with `OrderRefused`. */
  async carryOut(data: unknown, run: OrderRun): Promise<void> {
    const { objects, outcomes, windows, report } = this.#options;
    const order = this.#accepted(data, run.id);
    // It may have been carried out by a worker that the queue has lost.
    for (const found of await outcomes.of(run.id)) if (isOutcomeOf(found, run.id, order)) return;
    for (const input of inputsOf(order.task)) {
      const state = await objects.verify(input);
      if (state !== 'intact') throw new OrderRefused(`its input ${input} is ${state} in the object source`);
    }
    const from = performance.now();
    const outcome = await this.#outcome(order.task, run);
    const { name } = this.#options;
    const written: WorkOutcome = {
      schema: 'studio.work-outcome.v1',
      orderId: run.id,
      operationKey: order.operationKey,
      worker: name,
      version,
      tools: order.tools,
      outcome,
    };
    await outcomes.add(run.id, storedBytes(written), Date.now());
    // What cannot be removed now is removed by a host in time.
    await windows.remove(run.id).catch(() => undefined);
    report(`order ${run.id}: ${order.task.capability} ${outcome.state} in ${Math.round(performance.now() - from)} ms`);
  }

  /** An order that is what its id says, for this version and these tools. */
  #accepted(data: unknown, id: string): WorkOrder {
    const parsed = workOrder.safeParse(data);
    if (!parsed.success) throw new OrderRefused('it is no order that this version knows');
    const order = parsed.data;
    if (orderIdOf(order) !== id) throw new OrderRefused('it is not what its id says');
    if (order.version !== version) {
      throw new OrderRefused(`version ${order.version} is asked for, and version ${version} is there`);
    }
    const own = this.#options.ability.identity(order.task);
    if (own === null) throw new OrderRefused(`this worker does not do ${order.task.capability}`);
    const missing = missingTool(order.tools, own.tools);
    if (missing !== null) throw new OrderRefused(missing);
    if (taskKeyOf(order.task, own) !== order.operationKey) {
      throw new OrderRefused('other parameters are asked for than this version has');
    }
    return order;
  }

  async #outcome(task: WorkTask, run: OrderRun): Promise<WorkOutcome['outcome']> {
    try {
      return { state: 'completed', result: await this.#options.ability.perform(task, run) };
    } catch (error) {
      run.signal.throwIfAborted();
      const message = failureOf(error);
      if (message === null || ownFailures.test(message))
        throw error instanceof Error ? error : new Error(message ?? '');
      return { state: 'failed', message };
    }
  }
}

/** The message of an operation that came to nothing; null for a fault of the worker. */
function failureOf(error: unknown): string | null {
  if (error instanceof OperationFailed) return error.message;
  return isFault(error) && error.code === 'executor_failed' ? error.message : null;
}

function isOutcomeOf(found: Parameters<typeof readOutcome>[0], id: string, order: WorkOrder): boolean {
  try {
    return readOutcome(found, id, order).outcome.state === 'completed';
  } catch (error) {
    if (error instanceof OutcomeRefused) return false;
    throw error;
  }
}
