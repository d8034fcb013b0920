import { LedgerError } from '../ledger/ledger-error.ts';
import { failedWith, ObjectStoreError } from '../objects/object-store-error.ts';

/**
 * Whether a read failed without saying anything about what is stored. Damage is what fails a digest, a checksum, a chain or a
 * schema; those have codes of their own, but for a block of the store that is read with many others.
 */
export function isPassingFault(error: unknown): boolean {
  if (error instanceof ObjectStoreError) return error.code === 'storage_fault';
  return (
    error instanceof LedgerError && error.code === 'store_unreadable' && !failedWith(error.cause, 'LEVEL_CORRUPTION')
  );
}
