import type { EvidenceFact, EvidenceReadReceipt, ReadableKind } from '../../contract/evidence/evidence-read.ts';
import { demandDerived, EvidenceChainError } from '../core/evidence-chain-error.ts';
import { evidenceSchemas, identifiedRead, readOperationIdOf } from './evidence-read.ts';
import { boundedFacts, factBytesOf, factsWithin } from './readable-evidence.ts';

const kindOf = (fact: EvidenceFact): ReadableKind =>
  fact.kind === 'language_range' ? 'language_ranges' : 'speech_activity';

/**
 * Derives again what a read receipt says of itself: names, bounds, counts, and that every fact lies in the window as cut
 * to it. The facts themselves are taken as read. Throws `EvidenceChainError` at the first field that does not follow.
 */
export function auditRead(receipt: EvidenceReadReceipt): void {
  const { schema, receiptId, ...body } = receipt;
  const { facts, authorization, input, result } = receipt;
  for (const [index, fact] of facts.entries()) {
    if (kindOf(fact) !== input.evidenceKind) throw new EvidenceChainError('read', `facts[${index}].kind`);
  }
  if (result.availableItems < facts.length) throw new EvidenceChainError('read', 'result.availableItems');
  const derived = identifiedRead({
    ...body,
    operationId: readOperationIdOf(receipt),
    input: { ...input, receiptSchema: evidenceSchemas[input.evidenceKind] },
    facts: boundedFacts(factsWithin(facts, authorization)),
    result: {
      availableItems: result.availableItems,
      returnedItems: facts.length,
      returnedFactBytes: factBytesOf(facts),
      truncated: facts.length < result.availableItems,
    },
    lineage: { ...body.lineage, sourceArtifactIds: [authorization.sourceArtifactId] },
  });
  demandDerived('read', receipt, derived);
}
