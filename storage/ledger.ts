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
export type Space = 'snapshot' | 'live' | 'source' | 'session' | 'operation' | 'record';

export type Write =
  | { readonly put: Space; readonly key: string; readonly value: unknown }
  | { readonly del: Space; readonly key: string }
  | { readonly append: string; readonly events: readonly EventDraft[] };

/** A page of a journal as stored: canonical JSON texts, ready to be joined with commas. */
export interface JournalPage {
  readonly events: readonly Uint8Array[];
  readonly head: JournalHead;
}

/** One append-only, synced store of rows and journals. All writes of one call land together or not at all. */
export interface Ledger {
  /** Queues the writes into the next synced batch, in call order; resolves once they are on disk. */
  commit(writes: readonly Write[]): Promise<void>;
  /** Resolves when everything queued before this call is on disk. */
  durable(): Promise<void>;
  get(space: Space, key: string): unknown;
  getMany(space: Space, keys: readonly string[]): Promise<unknown[]>;
  /** All rows of a space whose key begins with `prefix`, in key order. */
  list(space: Space, prefix?: string): Promise<{ key: string; value: unknown }[]>;
  journalHead(runId: string): JournalHead;
  /** Events with seq in (after, after + limit], verified against the chain. */
  journalPage(runId: string, after: number, limit: number): Promise<JournalPage>;
  /** Reads the whole journal and checks sequence, chain, times and head. */
  verifyJournal(runId: string): Promise<JournalHead>;
  close(): Promise<void>;
}
