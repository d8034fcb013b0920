import type { ToolIdentity } from '../../contract/base/tool.ts';
import type { EvidenceArtifact } from '../../contract/evidence/evidence.ts';

/** What stands behind a result before there is one: equal identities over equal inputs and ranges give equal facts. */
export interface OperationIdentity {
  readonly tools: readonly ToolIdentity[];
  readonly parameters: EvidenceArtifact['parameters'];
}

/** Joins the parameters of several kinds, each name behind the name of its kind. */
export function joinParameters(
  kinds: Readonly<Record<string, EvidenceArtifact['parameters']>>,
): EvidenceArtifact['parameters'] {
  const named = Object.entries(kinds).flatMap(([kind, values]) =>
    Object.entries(values).map(([name, value]) => [`${kind}.${name}`, value] as const),
  );
  return Object.fromEntries(named);
}
