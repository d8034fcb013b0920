import type { Range } from '../../contract/base/grammar.ts';
import type { Claim } from '../../contract/evidence/evidence-assessment.ts';
import type { OverviewClaim } from '../../contract/overview/runtime-overview.ts';
import { counted } from '../core/checked-link.ts';
import { EvidenceChainError } from '../core/evidence-chain-error.ts';
import { secondsText } from '../core/time-code.ts';
import { joined, lengthOf } from '../core/time-spans.ts';
import type { VerifiedRead } from '../evidence/fold-reads.ts';
import type { VerifiedFindings } from '../study/fold-conclusion.ts';

/** Claims that say the same of several stretches. */
interface SameClaims {
  readonly claim: Claim;
  readonly spans: Range[];
  readonly receiptIds: Set<string>;
}

function citedSpans({ citations }: Claim, reads: readonly VerifiedRead[]): Range[] {
  return citations.flatMap(({ receiptContentId, factIndexes }) => {
    const read = reads.find(({ contentId }) => contentId === receiptContentId);
    return factIndexes.map((index) => {
      const fact = read?.body.facts[index];
      if (fact === undefined) throw new EvidenceChainError('assessment', 'claims.citations.factIndexes');
      return fact;
    });
  });
}

function subjectOf({ kind, value }: Claim): string {
  if (kind === 'transcript') return 'recognised words';
  if (kind === 'screen_text') return 'text recognised on the screen';
  if (kind === 'language_identity') return value === null ? 'speech in a language that was not identified' : value;
  return value === 'speech' ? 'speech' : 'no speech';
}

function sentenceOf({ claim, spans, receiptIds }: SameClaims): OverviewClaim {
  const windows = joined(spans);
  const range = { startMs: windows[0]?.startMs ?? 0, endMs: windows.at(-1)?.endMs ?? 0 };
  const totalMs = lengthOf(windows);
  const between = `between ${secondsText(range.startMs)} and ${secondsText(range.endMs)}`;
  const { kind, value, states } = claim;
  const doubt = states.includes('supported') ? '' : ` (${states.join(', ')})`;
  return {
    kind,
    value,
    states,
    text: `${subjectOf(claim)} in ${counted(windows.length, 'window')}, ${secondsText(totalMs)}, ${between}${doubt}`,
    windows: windows.length,
    totalMs,
    range,
    receiptIds: [...receiptIds],
  };
}

/**
 * What a study claims, a sentence for each kind, value and state, in the order in which they first stand in its assessments.
 * Facts that touch are one window: a read may have cut them.
 */
export function claimSentences({ assessments, reads }: VerifiedFindings): OverviewClaim[] {
  const same = new Map<string, SameClaims>();
  for (const { body } of assessments) {
    for (const claim of body.claims) {
      const name = JSON.stringify([claim.kind, claim.value, claim.states]);
      const found = same.get(name) ?? { claim, spans: [], receiptIds: new Set() };
      found.spans.push(...citedSpans(claim, reads));
      found.receiptIds.add(body.receiptId);
      same.set(name, found);
    }
  }
  return [...same.values()].map(sentenceOf);
}
