import type { FurtherArtifact, FurtherResult } from '../../contract/evidence/evidence.ts';
import type { MediaOperationResult } from '../../contract/evidence/media-operation.ts';
import type { MediaTask } from '../../contract/study/task.ts';
import { encodeDetections, encodeFurther } from '../../receipts/evidence/media-operation.ts';
import { objectFactsOf } from '../../receipts/evidence/readable-evidence.ts';
import type { ObjectStore } from '../../storage/objects/object-store.ts';
import type { MediaPasses, PassRequest } from './media-passes.ts';

/** Where a pass leaves what it found. */
export type PassObjects = Pick<ObjectStore, 'putAll' | 'read'>;

/** Runs a pass and stores what it found: every object that the result names is on disk when this resolves. */
export async function storedPass(
  passes: MediaPasses,
  objects: PassObjects,
  task: MediaTask,
  request: Omit<PassRequest, 'keep'>,
): Promise<MediaOperationResult> {
  const { detections, derivedAudio, further } = await passes.run(task, {
    ...request,
    keep: (object) => objects.putAll([object]),
  });
  const evidence: MediaOperationResult['evidence'] = [];
  // Each by itself: many large records at once would hold up everything else.
  for (const detection of detections) {
    const encoded = encodeDetections([detection], derivedAudio);
    await objects.putAll(encoded.objects);
    evidence.push(...encoded.result.evidence);
  }
  const beside: FurtherResult[] = [];
  for (const artifact of further) {
    const { object, result } = encodeFurther(artifact);
    await keepOn(objects, artifact);
    await objects.putAll([object]);
    beside.push(result);
  }
  return { evidence, derivedAudio, ...(beside.length === 0 ? {} : { further: beside }) };
}

/**
 * Stores once more what facts name: in a pass of hours the first of it is no longer recent, and a collection of garbage would
 * delete it before a record names it.
 */
async function keepOn(objects: PassObjects, artifact: FurtherArtifact): Promise<void> {
  for (const { contentId, bytes } of objectFactsOf(artifact)) {
    await objects.putAll([{ contentId, bytes: await objects.read(contentId, bytes) }]);
  }
}
