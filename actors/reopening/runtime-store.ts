import type { JournalEvent } from '../../contract/journal.ts';
import type { StoredRuntime } from '../../receipts/fold.ts';
import type { StoredContent } from '../../receipts/stored-records.ts';
import type { StoredJournalHead } from '../../storage/ledger/ledger.ts';

/** An actor of a later stage of a runtime, by the name and the id of its row. */
export interface LaterActor {
  readonly name: 'caption' | 'explanation';
  readonly id: string;
}

/**
 * Where everything that is stored of runtimes is read from while no host writes it: a data root, or a bundle. Each read
 * throws `EvidenceChainError` for what is missing or damaged.
 */
export interface RuntimeStore {
  /** The stored files, hashed by who reads them. */
  readonly content: StoredContent;
  /** Reads the whole journal and checks sequence, chain, times and head. */
  verifyJournal(runtimeId: string): Promise<StoredJournalHead>;
  /** What the rows say; null when nothing is stored of the runtime. */
  readStored(runtimeId: string): Promise<StoredRuntime | null>;
  readEvents(runtimeId: string): Promise<readonly JournalEvent[]>;
  /** The state in which the row of an actor stands. */
  statusOf(actor: LaterActor): string;
}
