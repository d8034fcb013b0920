import { refusalMeanings, type SystemRefusalCode, systemCode, systemRefusal } from '../system-refusal.ts';

/** A journal event of a caller; the ledger adds runId, seq, eventId and recordedAt. */
export interface EventDraft {
  readonly producer: { readonly kind: string; readonly id: string };
  readonly causationId: string | null;
  readonly correlationId: string | null;
  readonly type: string;
  readonly data: unknown;
}

/** The end of one journal: number of events, chain digest (hex) and the last event's time. */
export interface StoredJournalHead {
  readonly seq: number;
  readonly digest: string;
  readonly recordedAt: string | null;
}

/** Named kinds of rows; each is its own key range. */
export type Space =
  | 'snapshot'
  | 'live'
  | 'source'
  | 'session'
  | 'operation'
  | 'record'
  | 'unproven'
  | 'index'
  | 'transition'
  | 'observation';

export type Write =
  | { readonly put: Space; readonly key: string; readonly value: unknown }
  /** Stores the row unless there is one, on disk or queued before; decided when `commit` is called. */
  | { readonly putFirst: Space; readonly key: string; readonly value: unknown }
  /**
   * Stores the row together with the number of the batch that holds it, which it gets as `commit`. If the same commit adds to one
   * journal, the row gets `fromSeq` and `toSeq` as well: the first and the last entry that it adds.
   */
  | { readonly stamp: Space; readonly key: string; readonly value: object }
  | { readonly del: Space; readonly key: string }
  | { readonly append: string; readonly events: readonly EventDraft[] }
  /** Ends a journal that nothing is added to any more: this removes its head, and `eraseEvents` its events. */
  | { readonly close: string };

/** A page of a journal as stored: canonical JSON texts, ready to be joined with commas. */
export interface JournalPage {
  readonly events: readonly Uint8Array[];
  readonly head: StoredJournalHead;
}

/** One row or event as it lies in the store, be it readable or not. */
export interface StoredValue {
  readonly kind: Space | 'head' | 'event';
  /** The key of a row, or the run that a head or an event is of. */
  readonly key: string;
  readonly value: Buffer;
}

/** A ledger that was copied: its format, and the number of the newest batch in it. */
export interface LedgerCopy {
  readonly format: number;
  readonly commit: number;
}

/**
 * One synced store of rows and journals. All writes of one call land together or not at all. It fails with `LedgerError` only.
 */
export interface Ledger {
  /**
   * Queues the writes into the next synced batch, in call order; resolves once they are on disk. Events get their seq
   * before the call returns. Rejects and queues nothing when a value cannot be encoded (its own error) or the end of a
   * journal is damaged. `commit_failed` is final: from then on every call rejects.
   */
  commit(writes: readonly Write[]): Promise<void>;
  /** Resolves when everything queued before this call is on disk. */
  durable(): Promise<void>;
  /** The number of the newest batch that is on disk; 0 before the first. */
  newestCommit(): number;
  /** The row on disk, undefined when there is none. Throws `damaged_row`. */
  get(space: Space, key: string): unknown;
  /** The rows in the order of the keys; a damaged one is a `DamagedRow` (`row-codec.ts`) in its place. */
  getMany(space: Space, keys: readonly string[]): Promise<unknown[]>;
  /** All rows of a space whose key begins with `prefix`, in the byte order of the keys; damaged ones as in `getMany`. */
  list(space: Space, prefix?: string): Promise<{ key: string; value: unknown }[]>;
  /**
   * At most `limit` of the keys of a space that begin with `prefix` and come after `after`, in byte order. An empty `after`
   * begins with the first.
   */
  keysAfter(space: Space, prefix: string, after: string, limit: number): Promise<string[]>;
  /** The head on disk; seq 0 for a run without events. Throws `malformed_journal` when its row is damaged. */
  journalHead(runId: string): StoredJournalHead;
  /**
   * Events on disk with seq in (after, after + limit], verified against the chain when this process first reads them.
   * Rejects with `invalid_journal_chain` or `malformed_journal`, as `verifyJournal` does.
   */
  journalPage(runId: string, after: number, limit: number): Promise<JournalPage>;
  /** Reads the whole journal and checks sequence, chain, times and head, whatever was verified before. */
  verifyJournal(runId: string): Promise<StoredJournalHead>;
  /** All rows and events as they are at one moment, or the events of one run; readable or not. Throws `store_unreadable`. */
  stored(runId?: string): AsyncIterable<StoredValue>;
  /** Removes events of a closed journal, at most `limit` in one commit; resolves with their number, 0 when none is left. */
  eraseEvents(runId: string, limit: number): Promise<number>;
  /**
   * Rewrites the files of the store, so that none holds rows and events that were deleted or overwritten before the call. True if
   * that is so; false if the signal ended it, or a reader held on to an older file: then call it again later. Commits and reads go
   * on meanwhile.
   */
  purge(signal?: AbortSignal): Promise<boolean>;
  /**
   * Copies the store as it is now into a new folder, with its mark beside it; both are on disk when it resolves. Commits continue
   * meanwhile.
   */
  copyTo(directory: string): Promise<LedgerCopy>;
  /**
   * Throws `commit_failed` if its folder was moved, as each `commit` does, and `ledger_closed` after `close`. Objects are found by their paths: in another data root they
   * must not be deleted.
   */
  demandInPlace(): void;
  /** Waits for what is queued and closes the store. */
  close(): Promise<void>;
}

type LedgerErrorCode =
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
  /** The last whole position of a journal, if it was read from its beginning and failed. */
  lastGood: StoredJournalHead | null = null;
  constructor(code: LedgerErrorCode, detail: string, cause?: unknown) {
    super(`${code}: ${detail}`, cause === undefined ? undefined : { cause });
    this.name = 'LedgerError';
    this.code = code;
  }
}

/**
 * Turns a failed read into an error of the ledger. `damage` is the code for a block that fails LevelDB's checks. Everything else
 * is a store that cannot be read at all, or one that was closed.
 */
export function readFailure(error: unknown, damage: LedgerErrorCode, what: string): LedgerError {
  if (error instanceof LedgerError) return error;
  const code = systemCode(error);
  if (code === 'LEVEL_DATABASE_NOT_OPEN' || code === 'LEVEL_ITERATOR_NOT_OPEN') {
    return new LedgerError('ledger_closed', what, error);
  }
  return new LedgerError(code === 'LEVEL_CORRUPTION' ? damage : 'store_unreadable', what, error);
}

/** Turns the failure to open a store into an error of the ledger; a refusal of the system does not mean damage of the store. */
export function openFailure(error: unknown, directory: string): LedgerError {
  if (error instanceof LedgerError) return error;
  const refusal = systemRefusal(error);
  if (refusal !== null) return new LedgerError(refusal, `${directory}: ${refusalMeanings[refusal]}`, error);
  return new LedgerError('store_unreadable', directory, error);
}

/** True if a journal itself is damaged, which concerns its run alone. */
export const isJournalDamage = (error: unknown): error is LedgerError =>
  error instanceof LedgerError && (error.code === 'malformed_journal' || error.code === 'invalid_journal_chain');

/** True if opening failed because another process, or another ledger of this one, holds the folder. */
export const isLocked = (error: unknown): boolean =>
  error instanceof Error && (systemCode(error) === 'LEVEL_LOCKED' || systemCode(error.cause) === 'LEVEL_LOCKED');
