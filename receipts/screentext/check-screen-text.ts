import type { FurtherArtifact } from '../../contract/evidence/further-evidence.ts';
import type { ScreenTextFact } from '../../contract/evidence/screen-text.ts';
import { demandDerived } from '../core/evidence-chain-error.ts';
import { judgedText } from './text-gates.ts';

/** The texts of an artifact. */
export const textsOf = ({ facts }: Pick<FurtherArtifact, 'facts'>): ScreenTextFact[] =>
  facts.flatMap((fact) => (fact.kind === 'screen_text' ? [fact] : []));

/** Judges every text again. What was read cannot be derived again. Throws `EvidenceChainError`. */
export function checkScreenText(artifact: FurtherArtifact): void {
  const texts = textsOf(artifact);
  const judged = texts.map(({ outcome: _, reasonCodes: __, ...seen }, index) => judgedText({ ...seen, index }));
  demandDerived('evidence', { texts }, { texts: judged });
}
