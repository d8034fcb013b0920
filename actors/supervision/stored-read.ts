import { ZodError } from 'zod';
import { ServiceError } from '../../contract/base/errors.ts';
import { LedgerError } from '../../storage/ledger/ledger.ts';

/**
 * Reads something that was stored before. Damage becomes the 409 that names it: the journal's own codes for a journal,
 * `stored_content_inconsistent` for any row that does not hold what it should.
 */
export function readStored<Value>(read: () => Value): Value {
  try {
    const value = read();
    return value instanceof Promise ? (value.catch(refuseDamage) as Value) : value;
  } catch (error) {
    return refuseDamage(error);
  }
}

function refuseDamage(error: unknown): never {
  if (error instanceof LedgerError) {
    if (error.code === 'invalid_journal_chain') {
      throw new ServiceError(
        'invalid_journal_chain',
        'the journal has a gap, or an entry that does not follow the last',
      );
    }
    if (error.code === 'malformed_journal') {
      throw new ServiceError('malformed_journal', 'an entry of the journal cannot be read');
    }
    if (error.code === 'damaged_row') {
      throw new ServiceError('stored_content_inconsistent', 'a stored row of this resource is damaged');
    }
  }
  if (error instanceof ZodError) {
    throw new ServiceError('stored_content_inconsistent', 'a stored row of this resource has the wrong shape');
  }
  throw error;
}
