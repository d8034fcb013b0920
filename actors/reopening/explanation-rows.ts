import { EvidenceChainError } from '../../receipts/core/evidence-chain-error.ts';
import type { VerifiedRuntime } from '../../receipts/reopening/reopen-runtime.ts';
import type { Ledger } from '../../storage/ledger/ledger.ts';
import { actorRow } from '../supervision/actor-row.ts';
import { readRow } from './stored-runtime.ts';

/**
 * Holds the rows of the actors of explanations against the journal: each stands where its attempt stands. Throws
 * `EvidenceChainError` of the row. Returns how many there are.
 */
export function checkExplanationRows(ledger: Ledger, { execution }: VerifiedRuntime): number {
  const attempts = execution?.study.tail.explanations ?? [];
  for (const { jobId, state } of attempts) {
    const stored = readRow('explanation', () => ledger.get('snapshot', jobId));
    if (stored === undefined) throw new EvidenceChainError('row', 'explanation: missing');
    const { status } = readRow('explanation', () => actorRow.parse(stored));
    if (status !== state) throw new EvidenceChainError('row', 'explanation.status');
  }
  return attempts.length;
}
