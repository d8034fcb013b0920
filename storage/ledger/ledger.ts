/** What a caller knows of a journal event; the ledger adds runId, seq, eventId and recordedAt. */
export interface EventDraft {
  readonly producer: { readonly kind: string; readonly id: string };
  readonly causationId: string | null;
  readonly correlationId: string | null;
  readonly type: string;
  readonly data: unknown;
}

/** The end of one journal: number of events, chain digest (hex) and the last event's time. */
export interface JournalHead {
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
  /** Stores the row together with the number of the batch that holds it, which it gets as `commit`. */
  | { readonly stamp: Space; readonly key: string; readonly value: object }
  | { readonly del: Space; readonly key: string }
  | { readonly append: string; readonly events: readonly EventDraft[] }
  /** Ends a journal that nothing is added to any more: its head goes, and `eraseEvents` removes its events. */
  | { readonly close: string };

/** A page of a journal as stored: canonical JSON texts, ready to be joined with commas. */
export interface JournalPage {
  readonly events: readonly Uint8Array[];
  readonly head: JournalHead;
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
 * One synced store of rows and journals. All writes of one call land together or not at all. It fails with
 * `LedgerError` (`ledger-error.ts`) only.
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
  /** At most `limit` of the keys of a space that begin with `prefix` and come after `after`, in byte order; from the first where that is empty. */
  keysAfter(space: Space, prefix: string, after: string, limit: number): Promise<string[]>;
  /** The head on disk; seq 0 for a run without events. Throws `malformed_journal` when its row is damaged. */
  journalHead(runId: string): JournalHead;
  /**
   * Events on disk with seq in (after, after + limit], verified against the chain when this process first reads them.
   * Rejects with `invalid_journal_chain` or `malformed_journal`, as `verifyJournal` does.
   */
  journalPage(runId: string, after: number, limit: number): Promise<JournalPage>;
  /** Reads the whole journal and checks sequence, chain, times and head, whatever was verified before. */
  verifyJournal(runId: string): Promise<JournalHead>;
  /** All rows and events as they are at one moment, or the events of one run; readable or not. Throws `store_unreadable`. */
  stored(runId?: string): AsyncIterable<StoredValue>;
  /** Removes events of a closed journal, at most `limit` in one commit; resolves with their number, 0 when none is left. */
  eraseEvents(runId: string, limit: number): Promise<number>;
  /**
   * Copies the store as it is now into a new folder, with its mark beside it; both are on disk when it resolves. Commits go on
   * meanwhile.
   */
  copyTo(directory: string): Promise<LedgerCopy>;
  /** Waits for what is queued and closes the store. */
  close(): Promise<void>;
}
