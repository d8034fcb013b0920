import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import type { NamedRecognizer } from '../../actors/engines/engine-choices.ts';
import { storedPass } from '../../actors/study/media-operations.ts';
import { type MediaPasses, mediaPasses } from '../../actors/study/media-passes.ts';
import type { Clock } from '../../contract/base/clock.ts';
import { version } from '../../contract/base/program-version.ts';
import { keyframeFact } from '../../contract/evidence/evidence-object.ts';
import { type WorkOrder, type WorkOutcome, type WorkTask, workOrder } from '../../contract/workers.ts';
import { detectorIdleMs, openDetector } from '../../executors/detector/detector.ts';
import { packState, unpackState } from '../../executors/detector/packed-state.ts';
import type { PassWindows } from '../../executors/evidence/decode-graph.ts';
import type { OperationIdentity } from '../../executors/evidence/detection-identity.ts';
import { openLauncher } from '../../executors/process/launcher.ts';
import { describeSandbox } from '../../executors/process/process-sandbox.ts';
import { type Environment, resolveTools } from '../../executors/process/tools.ts';
import { demandRunning, type Recognizer } from '../../executors/recognition/recognizer.ts';
import { storedBytes } from '../../formats/canonical-json.ts';
import { isFault } from '../../machines/study-types.ts';
import { takeOrders } from './engine/bullmq-queue.ts';
import { OrderRefused, type OrderRun } from './engine/order-queue.ts';
import {
  inputsOf,
  missingTool,
  OperationFailed,
  OutcomeRefused,
  orderIdOf,
  readOutcome,
  taskKeyOf,
} from './order-identity.ts';
import { recognizedRegion, regionIdentity } from './queued-recognizer.ts';
import { SharedObjects } from './shared-objects.ts';
import { SharedOutcomes, SharedWindows } from './shared-outcomes.ts';

interface WorkerAbilityOptions {
  readonly passes: MediaPasses;
  /** Null on a worker without a recognizer. */
  readonly recognizer: Recognizer | null;
  readonly objects: SharedObjects;
  readonly windows: SharedWindows;
  readonly report: (line: string) => void;
}

/** The tasks of a worker: the passes over media, by the code of a host, and the recognition of regions if it has a recognizer. */
export function workerAbility({ passes, recognizer, objects, ...kept }: WorkerAbilityOptions): Ability {
  return {
    identity: (task: WorkTask): OperationIdentity | null => {
      if (task.capability !== 'semantic.recognize.region') return passes.identity(task);
      return recognizer === null ? null : regionIdentity(recognizer, task.language);
    },
    perform: async (task: WorkTask, { id, signal, measured }: OrderRun): Promise<unknown> => {
      if (task.capability !== 'semantic.recognize.region') {
        const path = objects.locate(task.sourceContentId);
        const attachedPath = (contentId: string): string => objects.locate(contentId);
        const windows = orderWindows({ ...kept, objects }, id);
        return storedPass(passes, objects, task, { path, attachedPath, signal, measured, windows });
      }
      if (recognizer === null) throw new Error('a worker without a recognizer took a region');
      return recognizedRegion(recognizer, objects, task, signal);
    },
  };
}

interface WorkerOptions {
  readonly workQueue: string;
  readonly objectSource: string;
  /** After so many ms without a sign of life, another worker takes over. */
  readonly leaseMs: number;
  /** The speech recognizer; null on a worker without one. */
  readonly recognizer: NamedRecognizer | null;
  readonly environment: Environment;
  readonly clock: Clock;
  readonly report: (line: string) => void;
}

export interface Worker {
  /** How other machines name it. */
  readonly name: string;
  /** Gives back the order under way and ends every process. */
  close(): Promise<void>;
}

/** Opens a worker: the engines of a host without its data root. Rejects with coded errors of the tools. */
export async function openWorker(options: WorkerOptions): Promise<Worker> {
  const { clock, environment, report, recognizer: chosen } = options;
  const folder = await mkdtemp(join(tmpdir(), 'media-study-worker-'));
  const launcher = await openLauncher({ workRoot: folder, newId: randomUUID });
  report(describeSandbox(launcher.sandbox));
  const detector = openDetector({ launcher, clock, idleMs: detectorIdleMs });
  const closeEngines = async (): Promise<void> => {
    await detector.close();
    await launcher.close();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const [tools, detectorTools, recognizer] = await Promise.all([
      resolveTools(launcher, environment),
      detector.tools(),
      chosen?.open({ launcher, environment, clock }) ?? null,
    ]);
    // A worker that cannot recognize would take orders of others and fail at each.
    if (recognizer !== null) await demandRunning(recognizer);
    const name = `${hostname()}:${process.pid}`;
    const objects = new SharedObjects(options.objectSource);
    const outcomes = new SharedOutcomes(options.objectSource);
    const passes = mediaPasses({ launcher, tools, detector, detectorTools });
    const windows = new SharedWindows(options.objectSource);
    const ability = workerAbility({ passes, recognizer, objects, windows, report });
    const duty = new OrderDuty({ name, objects, outcomes, windows, ability, report });
    const taker = takeOrders(options.workQueue, {
      name,
      leaseMs: options.leaseMs,
      report,
      carryOut: (order, run) => duty.carryOut(order, run),
    });
    return {
      name,
      close: async () => {
        await taker.close();
        await closeEngines();
      },
    };
  } catch (error) {
    await closeEngines();
    throw error;
  }
}

/** The tasks that a worker can do with its own tools. */
interface Ability {
  /** With which tools it does a task, set how; null for a task that it cannot do. */
  identity(task: WorkTask): OperationIdentity | null;
  /** Does it. What it finds is stored among the shared objects by then. Rejects where a tool came to nothing. */
  perform(task: WorkTask, run: OrderRun): Promise<unknown>;
}

interface OrderDutyOptions {
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
    // A host removes later what cannot be removed now.
    await windows.remove(run.id).catch(() => undefined);
    report(`order ${run.id}: ${order.task.capability} ${outcome.state} in ${Math.round(performance.now() - from)} ms`);
  }

  /** An order that is what its id says, for this version and these tools. */
  #accepted(data: unknown, id: string): WorkOrder {
    const parsed = workOrder.safeParse(data);
    if (!parsed.success) throw new OrderRefused('this version does not know such an order');
    const order = parsed.data;
    if (orderIdOf(order) !== id) throw new OrderRefused('it is not what its id says');
    if (order.version !== version) {
      throw new OrderRefused(`the order needs version ${order.version}, and this worker has version ${version}`);
    }
    const own = this.#options.ability.identity(order.task);
    if (own === null) throw new OrderRefused(`this worker does not do ${order.task.capability}`);
    const missing = missingTool(order.tools, own.tools);
    if (missing !== null) throw new OrderRefused(missing);
    if (taskKeyOf(order.task, own) !== order.operationKey) {
      throw new OrderRefused('the order needs other parameters than this version has');
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

/** The state at the end of a window, and the objects that its facts name. */
const measuredWindow = z.strictObject({
  state: z.instanceof(Uint8Array),
  named: z.array(keyframeFact.pick({ contentId: true, bytes: true })),
});
type MeasuredWindow = z.infer<typeof measuredWindow>;

interface OrderWindowsOptions {
  readonly windows: SharedWindows;
  readonly objects: SharedObjects;
  readonly report: (line: string) => void;
}

/**
 * Keeps the windows of a long pass beside the objects, under the order, which names version, tools and parameters. The next
 * worker of the order goes on behind the newest one.
 */
export function orderWindows({ windows, objects, report }: OrderWindowsOptions, orderId: string) {
  return (lengthMs: number): PassWindows => ({
    lengthMs,
    newest: async (endsMs) => {
      for (const endMs of await windows.endsMs(orderId)) {
        const bytes = endsMs.includes(endMs) ? await windows.read(orderId, endMs) : null;
        const window = bytes === null ? null : readWindow(bytes);
        if (window === null || !(await areIntact(objects, window.named))) continue;
        report(`order ${orderId}: it goes on at ${endMs} ms`);
        return { endMs, state: window.state };
      }
      return null;
    },
    keep: ({ endMs, state, named }) => windows.add(orderId, endMs, packState({ state, named })),
  });
}

/** Null for bytes that are not a window, whatever wrote them: the order would be given back again and again because of them. */
function readWindow(bytes: Uint8Array): MeasuredWindow | null {
  try {
    return measuredWindow.safeParse(unpackState(bytes)).data ?? null;
  } catch {
    return null;
  }
}

async function areIntact(objects: SharedObjects, named: MeasuredWindow['named']): Promise<boolean> {
  for (const { contentId } of named) if ((await objects.verify(contentId)) !== 'intact') return false;
  return true;
}
