import { type EvidenceObjectFact, evidenceObjectFact } from '../../contract/evidence/evidence-object.ts';
import type { FurtherArtifact } from '../../contract/evidence/further-evidence.ts';
import { EvidenceChainError } from '../core/evidence-chain-error.ts';
import type { StoredContent } from '../core/stored-content.ts';

/** The facts that name objects beside the artifact that they stand in. */
export const objectFactsOf = ({ facts }: Pick<FurtherArtifact, 'facts'>): EvidenceObjectFact[] =>
  facts.flatMap((fact) => evidenceObjectFact.safeParse(fact).data ?? []);

/** Checks that every object that the facts name is there with the bytes that they state. Throws `EvidenceChainError` of it. */
export async function checkEvidenceObjects(artifact: FurtherArtifact, content: StoredContent): Promise<void> {
  for (const { contentId, bytes } of objectFactsOf(artifact)) {
    const length = await content.verifiedLength({ contentId, bytes, path: null });
    if (typeof length === 'string') throw new EvidenceChainError('evidence', length, undefined, contentId);
    if (length !== bytes) throw new EvidenceChainError('evidence', 'size', undefined, contentId);
  }
}
