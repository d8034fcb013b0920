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

/** Detections with the note, as the identity of their operation says it. */
export const detectionsOver = (note: IncompleteMedia | undefined, detections: readonly Detection[]): Detection[] =>
  detections.map((detection) => {
    if (note === undefined || detection.state === 'unavailable') return detection;
    const { artifact } = detection;
    return {
      ...detection,
      artifact: { ...artifact, parameters: { ...artifact.parameters, ...noteParameters(note) } },
    };
  });

/** The same of further evidence. */
export const furtherOver = (
  note: IncompleteMedia | undefined,
  further: readonly FurtherArtifact[],
): readonly FurtherArtifact[] =>
  note === undefined
    ? further
    : further.map((artifact) => ({ ...artifact, parameters: { ...artifact.parameters, ...noteParameters(note) } }));
