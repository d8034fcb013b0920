import { EvidenceChainError } from '../../receipts/core/evidence-chain-error.ts';
import type { VerifiedRuntime } from '../../receipts/reopening/reopen-runtime.ts';
import type { VerifiedReview } from '../../receipts/review/replay-reviews.ts';
import type { Ledger } from '../../storage/ledger/ledger.ts';
import { actorRow } from '../supervision/actor-row.ts';
import { readRow } from './stored-runtime.ts';

/** How the actor of a review that came so far may stand; a withdrawal under way has not been written down yet. */
function statusesOf({ receipt, revocation }: VerifiedReview): readonly string[] {
  if (revocation !== null) return ['revoked'];
  const isRejected = receipt.body.decision.outcome === 'reject_with_reasons';
  return isRejected ? ['rejected'] : ['approved', 'revoking'];
}

/**
 * Holds the row of a review's actor, which says what may still be done with it, against the journal. Throws
 * `EvidenceChainError` of the row. Returns its status, or null for a runtime without a review.
 */
export function checkReviewRow(ledger: Ledger, { execution }: VerifiedRuntime): string | null {
  const review = execution?.study.tail.review ?? null;
  if (review === null) return null;
  const stored = readRow('review', () => ledger.get('snapshot', review.receipt.body.reviewId));
  if (stored === undefined) throw new EvidenceChainError('row', 'review: missing');
  const { status } = readRow('review', () => actorRow.parse(stored));
  if (statusesOf(review).includes(status)) return status;
  throw new EvidenceChainError('row', 'review.status');
}
