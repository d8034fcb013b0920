import type { WorkTask } from '../../contract/workers/work-order.ts';
import type { OperationIdentity } from '../../executors/evidence/detection-identity.ts';
import type { Recognizer } from '../../executors/recognition/recognizer.ts';
import type { OrderRun } from '../../executors/workers/order-queue.ts';
import type { SharedObjects } from '../../storage/objects/shared-objects.ts';
import type { MediaPasses } from '../study/media-passes.ts';
import { storedPass } from '../study/stored-pass.ts';
import type { Ability } from './order-duty.ts';
import { recognizedRegion, regionIdentity } from './recognized-region.ts';

export interface WorkerAbilityOptions {
  readonly passes: MediaPasses;
  /** Null on a worker that recognises no speech. */
  readonly recognizer: Recognizer | null;
  readonly objects: SharedObjects;
}

/** What a worker does: the passes over media, by the code of a host, and the recognition of regions where it has a recogniser. */
export function workerAbility({ passes, recognizer, objects }: WorkerAbilityOptions): Ability {
  return {
    identity: (task: WorkTask): OperationIdentity | null => {
      if (task.capability !== 'semantic.recognize.region') return passes.identity(task);
      return recognizer === null ? null : regionIdentity(recognizer, task.language);
    },
    perform: async (task: WorkTask, { signal, measured }: OrderRun): Promise<unknown> => {
      if (task.capability !== 'semantic.recognize.region') {
        const path = objects.locate(task.sourceContentId);
        const attachedPath = (contentId: string): string => objects.locate(contentId);
        return storedPass(passes, objects, task, { path, attachedPath, signal, measured });
      }
      if (recognizer === null) throw new Error('a worker without a recogniser took a region');
      return recognizedRegion(recognizer, objects, task, signal);
    },
  };
}
