import { type EvidenceObjectFact, evidenceObjectFact } from '../../contract/evidence/evidence-object.ts';
import { jpegSizeOf, waveformHeaderOf } from '../../contract/evidence/evidence-object-form.ts';
import type { FurtherArtifact } from '../../contract/evidence/further-evidence.ts';
import { EvidenceChainError } from '../core/evidence-chain-error.ts';
import type { StoredContent } from '../core/stored-content.ts';
import { samplesPerMs } from './readable-evidence.ts';

/** What stands before the frame header of a keyframe takes less. */
const headBytes = 4096;

/** The facts that name objects beside the artifact that they stand in. */
export const objectFactsOf = ({ facts }: Pick<FurtherArtifact, 'facts'>): EvidenceObjectFact[] =>
  facts.flatMap((fact) => evidenceObjectFact.safeParse(fact).data ?? []);

/** Whether an object says of itself what its fact says. */
function isOfForm(fact: EvidenceObjectFact, head: Uint8Array): boolean {
  if (fact.kind === 'keyframe') {
    const size = jpegSizeOf(head);
    return size?.width === fact.width && size.height === fact.height;
  }
  const stated = [1, 0, samplesPerMs * 1000, samplesPerMs * fact.windowMs, fact.windows];
  const header = waveformHeaderOf(head);
  return header !== null && stated.every((value, at) => header[at] === value);
}

/**
 * Checks that every object that the facts name is there with the bytes that they state, and in the form: a picture of their size, a
 * drawing of their windows. Throws `EvidenceChainError` of it.
 */
export async function checkEvidenceObjects(artifact: FurtherArtifact, content: StoredContent): Promise<void> {
  for (const fact of objectFactsOf(artifact)) {
    const { contentId, bytes } = fact;
    const found = await content.verifiedHead(contentId, headBytes);
    if (typeof found === 'string') throw new EvidenceChainError('evidence', found, undefined, contentId);
    if (found.bytes !== bytes) throw new EvidenceChainError('evidence', 'size', undefined, contentId);
    if (!isOfForm(fact, found.head)) throw new EvidenceChainError('evidence', 'form', undefined, contentId);
  }
}
