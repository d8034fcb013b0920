import type { VerifiedCaption } from '../../receipts/captions/replay-captions.ts';
import { EvidenceChainError } from '../../receipts/core/evidence-chain-error.ts';
import type { VerifiedRuntime } from '../../receipts/reopening/reopen-runtime.ts';
import type { Ledger } from '../../storage/ledger/ledger.ts';
import { actorRow } from '../supervision/actor-row.ts';
import { readRow } from './stored-runtime.ts';

/** How the actor of captions that came so far may stand; a check under way has not been written down yet. */
const statusesOf = ({ qualityControl }: VerifiedCaption): readonly string[] =>
  qualityControl === null ? ['checking', 'unchecked'] : ['checked'];

/**
 * Holds the row of the actor that made a runtime's captions, which says whether they may still be checked, against the
 * journal. Throws `EvidenceChainError` of the row. Returns its status, or null for a runtime without captions.
 */
export function checkCaptionRow(ledger: Ledger, { execution }: VerifiedRuntime): string | null {
  const caption = execution?.study.tail.captions.caption ?? null;
  if (caption === null) return null;
  const stored = readRow('caption', () => ledger.get('snapshot', caption.reference.jobId));
  if (stored === undefined) throw new EvidenceChainError('row', 'caption: missing');
  const { status } = readRow('caption', () => actorRow.parse(stored));
  if (statusesOf(caption).includes(status)) return status;
  throw new EvidenceChainError('row', 'caption.status');
}
