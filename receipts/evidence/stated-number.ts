import type { EvidenceArtifact } from '../../contract/evidence/evidence.ts';

/** A threshold that evidence states among its parameters; null where its version stated none. */
export function statedNumber({ parameters }: Pick<EvidenceArtifact, 'parameters'>, name: string): number | null {
  const value = parameters[name];
  return typeof value === 'number' ? value : null;
}
