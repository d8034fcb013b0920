import { rawRegion } from '../../contract/recognition.ts';
import type { RegionTask } from '../../contract/workers.ts';
import { DetectionFailure } from '../../executors/detector/detection-failure.ts';
import type { OperationIdentity } from '../../executors/evidence/detection-identity.ts';
import { ProcessFailure } from '../../executors/process/process.ts';
import { RecognitionFailure, type Recognizer } from '../../executors/recognition/recognizer.ts';
import type { SharedObjects } from '../../storage/objects/shared-objects.ts';
import { OperationFailed } from './outcome-refused.ts';

/** The longest region has half a minute of 16-bit samples at 16 kHz; this is four times that, in bytes. */
export const maximumSoundBytes = 4 * 1024 * 1024;

/** With which tools a recogniser works on a region of this language, set how. */
export const regionIdentity = ({ tools, parameters }: Recognizer, language: string | null): OperationIdentity => ({
  tools,
  parameters: { ...parameters, language },
});

/** Recognises the sound of an object. Rejects with `OperationFailed` where the recogniser came to nothing. */
export async function recognizedRegion(
  recognizer: Recognizer,
  objects: SharedObjects,
  { soundContentId, language }: RegionTask,
  signal: AbortSignal,
): Promise<unknown> {
  const samples = await objects.read(soundContentId, maximumSoundBytes);
  try {
    return rawRegion.parse(await recognizer.recognize({ samples, language }, signal));
  } catch (error) {
    signal.throwIfAborted();
    const isOwn =
      error instanceof ProcessFailure || error instanceof DetectionFailure || error instanceof RecognitionFailure;
    throw isOwn ? new OperationFailed(error.message) : error;
  }
}
