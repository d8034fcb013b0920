import type { FurtherArtifact } from '../../contract/evidence/further-evidence.ts';
import type { ScreenBox, ScreenTextFact } from '../../contract/evidence/screen-text.ts';
import { demandDerived, EvidenceChainError } from '../core/evidence-chain-error.ts';
import { statedNumber } from '../evidence/stated-number.ts';
import { judgedText } from './text-gates.ts';

/** The texts of an artifact. */
export const textsOf = ({ facts }: Pick<FurtherArtifact, 'facts'>): ScreenTextFact[] =>
  facts.flatMap((fact) => (fact.kind === 'screen_text' ? [fact] : []));

const isBox = ({ leftMilli, topMilli, rightMilli, bottomMilli }: ScreenBox): boolean =>
  leftMilli <= rightMilli && topMilli <= bottomMilli;

/** A text was read in pictures of its own time, of which each has a millisecond, and looked at again where it was sure. */
function checkSeen({ startMs, endMs, readings, box, confidenceMilli, secondLook }: ScreenTextFact, sureMilli: number) {
  if (!isBox(box)) return 'box';
  if (endMs <= startMs) return 'endMs';
  if (readings > endMs - startMs) return 'readings';
  return secondLook === undefined && confidenceMilli >= sureMilli ? 'secondLook' : null;
}

/** Judges every text again. What was read cannot be derived again. Throws `EvidenceChainError`. */
export function checkScreenText(artifact: FurtherArtifact): void {
  const texts = textsOf(artifact);
  // Earlier versions looked once, and stated nothing of a second look.
  const sureMilli = statedNumber(artifact, 'secondLookFromMilli') ?? Number.POSITIVE_INFINITY;
  for (const [at, text] of texts.entries()) {
    const place = checkSeen(text, sureMilli);
    if (place !== null) throw new EvidenceChainError('evidence', `texts[${at}].${place}`);
  }
  const judged = texts.map(({ outcome: _, reasonCodes: __, ...seen }, index) => judgedText({ ...seen, index }));
  demandDerived('evidence', { texts }, { texts: judged });
}
