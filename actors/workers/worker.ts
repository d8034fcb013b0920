import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../../contract/base/clock.ts';
import { openDetector } from '../../executors/detector/detector.ts';
import { openLauncher } from '../../executors/process/launcher.ts';
import { describeSandbox } from '../../executors/process/process-sandbox.ts';
import { type Environment, resolveTools } from '../../executors/process/tools.ts';
import { openRecognizer, type RecognizerChoice } from '../../executors/recognition/open-recognizer.ts';
import { takeOrders } from '../../executors/workers/bullmq-queue.ts';
import { SharedObjects } from '../../storage/objects/shared-objects.ts';
import { mediaPasses } from '../study/media-passes.ts';
import { OrderDuty } from './order-duty.ts';
import { SharedOutcomes, SharedWindows } from './shared-outcomes.ts';
import { workerAbility } from './worker-ability.ts';

export interface WorkerOptions {
  readonly workQueue: string;
  readonly objectSource: string;
  /** After so many ms without a sign of life, another worker takes over. */
  readonly leaseMs: number;
  /** The speech recogniser; null on a worker without one. */
  readonly recognizer: RecognizerChoice | null;
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

/** The detector process is ended after this long without work, in ms. */
const detectorIdleMs = 60_000;

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
      chosen === null ? null : openRecognizer(launcher, chosen, { environment, clock }),
    ]);
    const name = `${hostname()}:${process.pid}`;
    const objects = new SharedObjects(options.objectSource);
    const outcomes = new SharedOutcomes(options.objectSource);
    const passes = mediaPasses({ launcher, tools, detector, detectorTools });
    const windows = new SharedWindows(options.objectSource);
    const ability = workerAbility({ passes, recognizer, objects, windows, report });
    const duty = new OrderDuty({ name, objects, outcomes, windows, ability, report });
    const taker = takeOrders(options.workQueue, {
      ...{ name, leaseMs: options.leaseMs, report },
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
