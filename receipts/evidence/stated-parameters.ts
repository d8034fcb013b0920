import { type EvidenceArtifact, measuredParameters } from '../../contract/evidence/evidence.ts';
import type { FurtherArtifact } from '../../contract/evidence/further-evidence.ts';

/** The parameters of evidence that its operation stated before it ran: all but those that it measured on the way. */
export function statedParameters({
  kind,
  parameters,
}: EvidenceArtifact | FurtherArtifact): EvidenceArtifact['parameters'] {
  const byKind: Readonly<Record<string, readonly string[] | undefined>> = measuredParameters;
  const measured = byKind[kind] ?? [];
  return Object.fromEntries(Object.entries(parameters).filter(([name]) => !measured.includes(name)));
}
