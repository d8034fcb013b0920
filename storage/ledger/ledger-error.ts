import { refusalMeanings, type SystemRefusalCode, systemRefusal } from '../system-refusal.ts';
import type { JournalHead } from './ledger.ts';

export type LedgerErrorCode =
  | SystemRefusalCode
  | 'data_root_locked'
  | 'ledger_missing'
  | 'store_format_unsupported'
  | 'store_unreadable'
  | 'ledger_damaged'
  | 'commit_failed'
  | 'ledger_closed'
  | 'damaged_row'
  | 'malformed_journal'
  | 'invalid_journal_chain';

/** The one way in which the ledger fails. `message` begins with the code; the system's error is the cause. */
export class LedgerError extends Error {
  readonly code: LedgerErrorCode;
  /** Where a journal still was whole, when the failure is one of a journal that was read from its beginning. */
  lastGood: JournalHead | null = null;
  constructor(code: LedgerErrorCode, detail: string, cause?: unknown) {
    super(`${code}: ${detail}`, cause === undefined ? undefined : { cause });
    this.name = 'LedgerError';
    this.code = code;
  }
}

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined);

/**
 * Puts a failed read into the ledger's own words: `damage` says what a block that fails LevelDB's checks means to
 * the reader; everything else is a store that cannot be read at all, or one that was closed.
 */
export function readFailure(error: unknown, damage: LedgerErrorCode, what: string): LedgerError {
  if (error instanceof LedgerError) return error;
  const code = codeOf(error);
  if (code === 'LEVEL_DATABASE_NOT_OPEN' || code === 'LEVEL_ITERATOR_NOT_OPEN') {
    return new LedgerError('ledger_closed', what, error);
  }
  return new LedgerError(code === 'LEVEL_CORRUPTION' ? damage : 'store_unreadable', what, error);
}

/** Puts a store that cannot be opened into the ledger's own words: what the system refuses is no damage of the store. */
export function openFailure(error: unknown, directory: string): LedgerError {
  if (error instanceof LedgerError) return error;
  const refusal = systemRefusal(error);
  if (refusal !== null) return new LedgerError(refusal, `${directory}: ${refusalMeanings[refusal]}`, error);
  return new LedgerError('store_unreadable', directory, error);
}

/** Whether a journal itself is damaged, which concerns its run alone. */
export const isJournalDamage = (error: unknown): error is LedgerError =>
  error instanceof LedgerError && (error.code === 'malformed_journal' || error.code === 'invalid_journal_chain');

/** Whether opening failed because another process, or another ledger of this one, holds the folder. */
export const isLocked = (error: unknown): boolean =>
  error instanceof Error && (codeOf(error) === 'LEVEL_LOCKED' || codeOf(error.cause) === 'LEVEL_LOCKED');
