import type { StoredObject } from '../../contract/base/stored-object.ts';
import type { DerivedAudio, DetectedKind, Detection } from '../../contract/evidence/evidence.ts';
import type { MediaOperationResult } from '../../contract/evidence/media-operation.ts';
import { contentIdOfBytes, storedBytes } from '../core/canonical-json.ts';

/** The kind of the run artifact that holds one kind of detected evidence. */
export const detectedArtifactKind = (kind: DetectedKind): string => `detected-${kind.replaceAll('_', '-')}`;

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
    const bytes = storedBytes(detection.artifact);
    const contentId = contentIdOfBytes(bytes);
    objects.push({ contentId, bytes });
    return { kind: detection.kind, state: 'available', contentId, bytes: bytes.length };
  });
  return { objects, result: { evidence, derivedAudio } };
}
