import { messageOf } from '../../contract/base/errors.ts';
import { version } from '../../contract/base/program-version.ts';
import { type RawRegion, rawRegion } from '../../contract/recognition.ts';
import type { RegionTask, WorkOrder } from '../../contract/workers.ts';
import type { OperationIdentity } from '../../executors/evidence/detection-identity.ts';
import { ProcessFailure } from '../../executors/process/process.ts';
import {
  RecognitionFailure,
  type Recognizer,
  type RegionSound,
  secondsOf,
  spokenIn,
} from '../../executors/recognition/recognizer.ts';
import { contentIdOfBytes } from '../../formats/canonical-json.ts';
import { DetectionFailure } from '../../kinds/detection-failure.ts';
import { inputOf, OperationFailed, OutcomeRefused, taskKeyOf } from './order-identity.ts';
import type { SharedObjects } from './shared-objects.ts';
import type { WorkOrders } from './work-orders.ts';

/** The longest region has half a minute of 16-bit samples at 16 kHz; this is four times that, in bytes. */
const maximumSoundBytes = 4 * 1024 * 1024;

/** The tools and settings of a recognizer for a region in this language. */
export const regionIdentity = ({ tools, parameters }: Recognizer, language: string | null): OperationIdentity => ({
  tools,
  parameters: { ...parameters, language },
});

/** Recognizes the sound of an object. Rejects with `OperationFailed` if the recognizer failed. */
export async function recognizedRegion(
  recognizer: Recognizer,
  objects: SharedObjects,
  { soundContentId, language }: RegionTask,
  signal: AbortSignal,
): Promise<unknown> {
  const samples = await objects.read(soundContentId, maximumSoundBytes);
  try {
    const region = await recognizer.recognize({ samples, language }, signal);
    return rawRegion.parse({ ...region, ...(await heardIn(recognizer, region, { samples, language }, signal)) });
  } catch (error) {
    signal.throwIfAborted();
    const isOwn =
      error instanceof ProcessFailure || error instanceof DetectionFailure || error instanceof RecognitionFailure;
    throw isOwn ? new OperationFailed(error.message) : error;
  }
}

/** The language that a recognizer hears in a region with lines: the host cannot ask it. */
async function heardIn(
  { heardLanguage }: Recognizer,
  { lines, spoken }: RawRegion,
  sound: RegionSound,
  signal: AbortSignal,
): Promise<Pick<RawRegion, 'spoken'>> {
  if (heardLanguage === undefined || spoken !== undefined || sound.language === null || lines.length === 0) return {};
  const heard = await heardLanguage(sound, signal).catch((error: unknown) => {
    signal.throwIfAborted();
    if (error instanceof ProcessFailure || error instanceof RecognitionFailure) return null;
    throw error;
  });
  return heard === null ? {} : { spoken: heard };
}

/** A recognizer whose regions go to workers; they name the tools of the one here. */
export function queuedRecognizer(local: Recognizer, orders: WorkOrders): Recognizer {
  // The answer of a worker has the language that it heard: no question is asked here.
  const { heardLanguage: _, ...identity } = local;
  return {
    ...identity,
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
              if (!region.success)
                throw new OutcomeRefused('the file does not hold an answer of a recognizer', region.error);
              try {
                return spokenIn(secondsOf(sound), region.data);
              } catch (error) {
                throw new OutcomeRefused(messageOf(error), error);
              }
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
