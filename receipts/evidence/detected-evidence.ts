import type { StoredObject } from '../../contract/base/stored-object.ts';
import type { DerivedAudio, DetectedKind, Detection } from '../../contract/evidence/evidence.ts';
import type { FurtherArtifact, FurtherKind, FurtherResult } from '../../contract/evidence/further-evidence.ts';
import type { MediaOperationResult } from '../../contract/evidence/media-operation.ts';
import { storedJson } from '../core/stored-json.ts';

/** The kind of the run artifact that holds one kind of detected evidence. */
export const detectedArtifactKind = (kind: DetectedKind | FurtherKind): string =>
  `detected-${kind.replaceAll('_', '-')}`;

export interface EncodedDetections {
  /** Store these before the batch that names them. */
  readonly objects: readonly StoredObject[];
  readonly result: MediaOperationResult;
}

/** Turns what a pass detected into bytes to store and the result to keep under its operation key, order kept. */
export function encodeDetections(
  detections: readonly Detection[],
  derivedAudio: DerivedAudio | null,
): EncodedDetections {
  const objects: StoredObject[] = [];
  const evidence = detections.map((detection): MediaOperationResult['evidence'][number] => {
    if (detection.state === 'unavailable') return detection;
    const object = storedJson(detection.artifact);
    objects.push(object);
    return { kind: detection.kind, state: 'available', contentId: object.contentId, bytes: object.bytes.length };
  });
  return { objects, result: { evidence, derivedAudio } };
}

/** Turns one artifact of further evidence into bytes to store and what the result says of it. */
export function encodeFurther(artifact: FurtherArtifact): {
  readonly object: StoredObject;
  readonly result: FurtherResult;
} {
  const object = storedJson(artifact);
  return { object, result: { kind: artifact.kind, contentId: object.contentId, bytes: object.bytes.length } };
}
