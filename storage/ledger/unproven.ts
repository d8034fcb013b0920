import { rowKey } from './keys.ts';
import { LedgerError } from './ledger-error.ts';

/**
 * Refuses a journal that the ledger knew when a loss was given up: what was lost may have been its last events. Throws
 * `invalid_journal_chain`.
 */
export function refuseUnproven(runId: string, read: (key: Buffer) => Buffer | undefined): void {
  if (read(rowKey('unproven', runId)) === undefined) return;
  const what = 'the ledger lost commits, and its owner gave them up';
  throw new LedgerError('invalid_journal_chain', `${runId} may lack its last events: ${what}`);
}
