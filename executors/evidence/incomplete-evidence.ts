import type { DetectedKind, Detection, EvidenceArtifact } from '../../contract/evidence/evidence.ts';
import type { FurtherArtifact, FurtherKind } from '../../contract/evidence/further-evidence.ts';
import type { IncompleteMedia } from '../../contract/sources/incomplete-media.ts';
import { joinParameters, type OperationIdentity } from './detection-identity.ts';

/** The note on incomplete media as parameters of the evidence over it; `statedMs` is null where nothing is stated. */
const noteParameters = ({ cause, statedMs, measuredMs }: IncompleteMedia): EvidenceArtifact['parameters'] => ({
  incompleteMedia: cause,
  statedMs,
  measuredMs,
});

/** The identity of an operation that delivers these kinds, with the note where its media is incomplete. */
export function identityOver(
  note: IncompleteMedia | undefined,
  kinds: readonly (DetectedKind | FurtherKind)[],
  { tools, parameters }: OperationIdentity,
): OperationIdentity {
  if (note === undefined) return { tools, parameters };
  const noted = joinParameters(Object.fromEntries(kinds.map((kind) => [kind, noteParameters(note)])));
  return { tools, parameters: { ...parameters, ...noted } };
}

/** Evidence with the note, as the identity of its operation says it. */
export const notedOver = <Measured extends EvidenceArtifact | FurtherArtifact>(
  note: IncompleteMedia | undefined,
  artifact: Measured,
): Measured =>
  note === undefined ? artifact : { ...artifact, parameters: { ...artifact.parameters, ...noteParameters(note) } };

/** The same of detections. */
export const detectionsOver = (note: IncompleteMedia | undefined, detections: readonly Detection[]): Detection[] =>
  detections.map((detection) =>
    detection.state === 'unavailable' ? detection : { ...detection, artifact: notedOver(note, detection.artifact) },
  );
