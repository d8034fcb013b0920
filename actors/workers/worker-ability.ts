import type { WorkTask } from '../../contract/workers.ts';
import type { OperationIdentity } from '../../executors/evidence/detection-identity.ts';
import type { Recognizer } from '../../executors/recognition/recognizer.ts';
import type { OrderRun } from '../../executors/workers/order-queue.ts';
import type { SharedObjects } from '../../storage/objects/shared-objects.ts';
import type { MediaPasses } from '../study/media-passes.ts';
import { storedPass } from '../study/stored-pass.ts';
import type { Ability } from './order-duty.ts';
import { orderWindows } from './order-windows.ts';
import { recognizedRegion, regionIdentity } from './recognized-region.ts';
import type { SharedWindows } from './shared-outcomes.ts';

export interface WorkerAbilityOptions {
  readonly passes: MediaPasses;
  /** Null on a worker that recognises no speech. */
  readonly recognizer: Recognizer | null;
  readonly objects: SharedObjects;
  readonly windows: SharedWindows;
  readonly report: (line: string) => void;
}

/** What a worker does: the passes over media, by the code of a host, and the recognition of regions where it has a recogniser. */
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
      if (recognizer === null) throw new Error('a worker without a recogniser took a region');
      return recognizedRegion(recognizer, objects, task, signal);
    },
  };
}
