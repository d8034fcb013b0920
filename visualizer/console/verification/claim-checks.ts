import type { EvidenceReadReceipt } from '../../../contract/evidence/evidence-read.ts';
import type { JournalEvent } from '../../../contract/journal.ts';
import type { AuditedClaim } from '../timeline/lanes.ts';
import { canonicalJson } from './canonical-json.ts';
import { type Check, equal, unchecked } from './check.ts';
import { contentIdOf, receiptIdOf } from './digests.ts';

/** The receipts of all reads of a journal, by their ids. */
export const readsOf = (events: readonly JournalEvent[]): ReadonlyMap<string, EvidenceReadReceipt> =>
  new Map(
    events.flatMap((event) =>
      event.type === 'evidence.read_completed' ? [[event.data.receipt.receiptId, event.data.receipt] as const] : [],
    ),
  );

/** Holds a claim against its assessment and the reads that it cites. */
export async function claimChecks(
  claim: AuditedClaim,
  operationId: string,
  events: readonly JournalEvent[],
): Promise<readonly Check[]> {
  const assessed = events.find(
    (event) => event.type === 'analysis.evidence.assessment_completed' && event.data.operationId === operationId,
  );
  if (assessed?.type !== 'analysis.evidence.assessment_completed')
    return [unchecked('Assessment', 'the journal of this study does not hold it')];
  const { receipt, receiptContentId } = assessed.data;
  const stated = receipt.claims[claim.claimIndex];
  const { citations, ...own } = claim;
  const cited = citations.map(({ readOperationId: _, evidenceArtifactId: __, ...citation }) => citation);
  const reads = readsOf(events);
  const ofReads = await Promise.all(citations.map((citation) => readChecks(reads.get(citation.receiptId), citation)));
  return [
    equal(
      'Assessment against its content id',
      await contentIdOf(receipt),
      receiptContentId,
      'SHA-256 of its canonical JSON',
    ),
    equal(
      'Assessment against its receipt id',
      await receiptIdOf(receipt),
      receipt.receiptId,
      'its id is the digest of what it says',
    ),
    equal(
      'The claim in its assessment',
      canonicalJson({ ...own, citations: cited }),
      canonicalJson(stated),
      'word for word as it was assessed',
    ),
    ...ofReads.flat(),
  ];
}

async function readChecks(
  read: EvidenceReadReceipt | undefined,
  { receiptContentId, factIndexes }: AuditedClaim['citations'][number],
): Promise<readonly Check[]> {
  if (read === undefined) return [unchecked('A cited read', 'the journal of this study does not hold it')];
  const missing = factIndexes.filter((index) => read.facts[index] === undefined);
  return [
    equal('Read against its content id', await contentIdOf(read), receiptContentId, 'SHA-256 of its canonical JSON'),
    equal(
      'Read against its receipt id',
      await receiptIdOf(read),
      read.receiptId,
      'its id is the digest of what it says',
    ),
    equal(
      'Cited facts of the read',
      missing.join(', '),
      '',
      factIndexes.length === 1 ? 'it is in the read' : `all ${factIndexes.length} of them are in the read`,
    ),
  ];
}
