import { type EvidenceArtifact, measuredParameters } from '../../contract/evidence/evidence.ts';

/** The parameters of evidence that its operation stated before it ran: all but those that it measured on the way. */
export function statedParameters({ kind, parameters }: EvidenceArtifact): EvidenceArtifact['parameters'] {
  const measured = measuredParameters[kind] ?? [];
  return Object.fromEntries(Object.entries(parameters).filter(([name]) => !measured.includes(name)));
}
