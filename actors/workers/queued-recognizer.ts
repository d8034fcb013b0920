import { version } from '../../contract/base/program-version.ts';
import { rawRegion } from '../../contract/recognition.ts';
import type { WorkOrder } from '../../contract/workers.ts';
import { RecognitionFailure, type Recognizer, type RegionSound } from '../../executors/recognition/recognizer.ts';
import { contentIdOfBytes } from '../../formats/canonical-json.ts';
import { inputOf, taskKeyOf } from './order-identity.ts';
import { OperationFailed, OutcomeRefused } from './outcome-refused.ts';
import { regionIdentity } from './recognized-region.ts';
import type { WorkOrders } from './work-orders.ts';

/**
 * A recogniser whose regions are recognised by workers; they name the tools of the one here. A server that recognises is asked by
 * the host itself: it has nothing to gain from a worker.
 */
export function queuedRecognizer(local: Recognizer, orders: WorkOrders): Recognizer {
  if (local.engine === 'openai') return local;
  const { engine, tools, parameters, languages } = local;
  return {
    ...{ engine, tools, parameters, languages },
    recognize: async (sound, signal, waits = () => undefined) => {
      if (sound.samples.length === 0) return local.recognize(sound, signal);
      const order = orderOf(local, sound);
      try {
        return await orders.carriedOut(
          {
            order,
            provide: (objects) => objects.putAll([{ contentId: inputOf(order.task), bytes: sound.samples }]),
            accept: async (result) => {
              const region = rawRegion.safeParse(result);
              if (region.success) return region.data;
              throw new OutcomeRefused('it holds no answer of a recogniser', region.error);
            },
          },
          { signal, measured: () => undefined, waits },
        );
      } catch (error) {
        throw error instanceof OperationFailed ? new RecognitionFailure('worker_failed', error.message, error) : error;
      }
    },
  };
}

function orderOf(recognizer: Recognizer, { samples, language }: RegionSound): WorkOrder {
  const soundContentId = contentIdOfBytes(samples);
  const task = { capability: 'semantic.recognize.region', soundContentId, language } as const;
  const identity = regionIdentity(recognizer, language);
  return {
    schema: 'studio.work-order.v1',
    version,
    operationKey: taskKeyOf(task, identity),
    tools: [...identity.tools],
    parameters: identity.parameters,
    task,
  };
}
