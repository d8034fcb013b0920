import type { ClassicLevel } from 'classic-level';
import { Committer, type QueuedRow, type RowChange } from './committer.ts';
import { appendEvents, type EventSource } from './journal-chain.ts';
import { auditJournal, JournalHeads, JournalReader, VerifiedRanges } from './journal-reader.ts';
import { headKey, nameOf, rowKey, rowRange } from './keys.ts';
import {
  type JournalPage,
  type Ledger,
  type LedgerCopy,
  LedgerError,
  readFailure,
  type Space,
  type StoredJournalHead,
  type StoredValue,
  type Write,
} from './ledger.ts';
import type { StoreFormats } from './migrate-store.ts';
import { copyLedger, type NumberedStore, openNumberedStore } from './numbered-store.ts';
import { purgeStore } from './purge-store.ts';
import { allOf, decodeOrMark, decodeRow, encodeRow, eventsRange, stampedRow, storedValues } from './row-codec.ts';

const listBytes = 1024 * 1024;

export interface LedgerOptions extends EventSource {
  readonly directory: string;
  /** Called once when a batch fails; the host has to stop. */
  readonly onFatal: (error: LedgerError) => void;
  /** Called when a batch begins and when it is on disk, so that a test can end the process there. */
  readonly points?: (name: string) => void;
  /** Called with each stamped row when it is on disk, before `commit` resolves. Must not throw. */
  readonly onStamped?: (space: Space, key: string) => void;
  /** The formats that it opens; by default those of this program. */
  readonly formats?: StoreFormats;
}

/** The writes of one commit: rows, and the new position of each journal. */
interface Prepared {
  readonly rows: QueuedRow[];
  readonly moves: Map<string, { readonly after: number; readonly head: StoredJournalHead }>;
  /** The rows that are the first of their key. */
  readonly firsts: Set<string>;
  /** The journals that are closed. */
  readonly closed: string[];
  readonly stamped: StampedWrite[];
}

type StampedWrite = Extract<Write, { readonly stamp: Space }>;

/** The first and the last entry that a commit adds to its journal, by their seqs; nothing if it adds to none or to several. */
function journalRangeOf(moves: Prepared['moves']): { readonly fromSeq?: number; readonly toSeq?: number } {
  const [move, ...others] = moves.values();
  return move === undefined || others.length > 0 ? {} : { fromSeq: move.after + 1, toSeq: move.head.seq };
}

const abortOf = (signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve) => signal?.addEventListener('abort', () => resolve(), { once: true }));

class LevelLedger implements Ledger {
  readonly #store: NumberedStore;
  readonly #database: ClassicLevel<Buffer, Buffer>;
  readonly #source: EventSource;
  readonly #onStamped: (space: Space, key: string) => void;
  readonly #committer: Committer;
  readonly #heads: JournalHeads;
  readonly #verified = new VerifiedRanges();
  readonly #reader: JournalReader;
  // First rows that are queued and not on disk yet.
  readonly #firsts = new Set<string>();
  /** The walks over the whole store that have begun and not ended. */
  readonly #walks = new Set<Promise<void>>();
  #closing: Promise<void> | null = null;

  constructor(store: NumberedStore, options: LedgerOptions) {
    const { database } = store;
    this.#store = store;
    this.#database = database;
    this.#source = options;
    this.#onStamped = options.onStamped ?? (() => undefined);
    this.#heads = new JournalHeads((key) => database.getSync(key));
    this.#reader = new JournalReader(database, this.#heads, this.#verified);
    this.#committer = new Committer({
      write: (rows) => store.write(rows),
      onFatal: options.onFatal,
      point: (name) => options.points?.(name),
    });
  }

  /** Not async: seqs are taken before this returns, whatever the caller does next. */
  commit(writes: readonly Write[]): Promise<void> {
    if (this.#closing !== null) return Promise.reject(new LedgerError('ledger_closed', 'commit after close'));
    if (writes.length === 0 || this.#committer.failure !== null) return this.#committer.durable();
    try {
      const prepared = this.#prepare(writes);
      for (const [runId, { head }] of prepared.moves) this.#heads.advance(runId, head);
      for (const first of prepared.firsts) this.#firsts.add(first);
      return this.#committer.add(prepared.rows, () => this.#landed(prepared));
    } catch (error) {
      return Promise.reject(error);
    }
  }

  durable(): Promise<void> {
    return this.#committer.durable();
  }

  newestCommit(): number {
    return this.#store.newest;
  }

  get(space: Space, key: string): unknown {
    const name = `${space} ${key}`;
    const stored = rowKey(space, key);
    try {
      const row = this.#database.getSync(stored);
      return row === undefined ? undefined : decodeRow(stored, row);
    } catch (error) {
      throw readFailure(error, 'damaged_row', name);
    }
  }

  async getMany(space: Space, keys: readonly string[]): Promise<unknown[]> {
    const stored = keys.map((key) => rowKey(space, key));
    try {
      const rows = await this.#database.getMany(stored);
      return stored.map((key, index) => decodeOrMark(key, rows[index]));
    } catch (error) {
      throw readFailure(error, 'store_unreadable', `${space} rows`);
    }
  }

  async list(space: Space, prefix = ''): Promise<{ key: string; value: unknown }[]> {
    const range = rowRange(space, prefix);
    try {
      const entries = await allOf(this.#database.iterator({ ...range, highWaterMarkBytes: listBytes }));
      return entries.map(([stored, row]) => {
        return { key: nameOf(stored), value: decodeOrMark(stored, row) };
      });
    } catch (error) {
      throw readFailure(error, 'store_unreadable', `${space} rows`);
    }
  }

  async keysAfter(space: Space, prefix: string, after: string, limit: number): Promise<string[]> {
    const { gte, lt } = rowRange(space, prefix);
    const last = after === '' ? null : rowKey(space, after);
    try {
      const range = last === null || Buffer.compare(last, gte) < 0 ? { gte, lt } : { gt: last, lt };
      return (await allOf(this.#database.keys({ ...range, limit }))).map(nameOf);
    } catch (error) {
      throw readFailure(error, 'store_unreadable', `${space} keys`);
    }
  }

  journalHead(runId: string): StoredJournalHead {
    return this.#heads.durable(runId);
  }

  journalPage(runId: string, after: number, limit: number): Promise<JournalPage> {
    return this.#reader.page(runId, after, limit);
  }

  async verifyJournal(runId: string): Promise<StoredJournalHead> {
    const head = await auditJournal(this.#database, runId);
    this.#verified.add(runId, 0, head.seq);
    return head;
  }

  async *stored(runId?: string): AsyncGenerator<StoredValue> {
    const ended = this.#begun();
    try {
      yield* storedValues(this.#database, runId ?? null);
    } finally {
      ended();
    }
  }

  async eraseEvents(runId: string, limit: number): Promise<number> {
    if (this.#closing !== null) throw new LedgerError('ledger_closed', 'commit after close');
    const keys = await this.#eventKeys(runId, limit);
    await this.#deleteKeys(keys);
    return keys.length;
  }

  async purge(signal?: AbortSignal): Promise<boolean> {
    if (this.#closing !== null) throw new LedgerError('ledger_closed', 'purge after close');
    // A walk that began before sees the store as it was then, and LevelDB keeps for it what it rewrites.
    await Promise.race([Promise.all(this.#walks), abortOf(signal)]);
    if (signal?.aborted) return false;
    try {
      return await purgeStore(this.#database, (keys) => this.#deleteKeys(keys), signal);
    } catch (error) {
      throw readFailure(error, 'store_unreadable', 'a compaction of the store');
    }
  }

  async copyTo(directory: string): Promise<LedgerCopy> {
    const ended = this.#begun();
    try {
      return await copyLedger(this.#database, directory);
    } finally {
      ended();
    }
  }

  demandInPlace(): void {
    if (this.#closing !== null) throw new LedgerError('ledger_closed', 'a write after close');
    this.#store.demandInPlace();
  }

  close(): Promise<void> {
    this.#closing ??= this.#committer
      .durable()
      .catch(() => {})
      .then(() => this.#store.close());
    return this.#closing;
  }

  /** Encodes everything before anything is queued, so that a value that cannot be stored leaves no trace. */
  #prepare(writes: readonly Write[]): Prepared {
    const prepared: Prepared = { rows: [], moves: new Map(), firsts: new Set(), closed: [], stamped: [] };
    for (const write of writes) {
      if ('put' in write) {
        const key = rowKey(write.put, write.key);
        prepared.rows.push({ type: 'put', key, value: encodeRow(key, write.value) });
      } else if ('putFirst' in write) {
        this.#prepareFirst(prepared, rowKey(write.putFirst, write.key), write.value);
      } else if ('stamp' in write) {
        prepared.stamped.push(write);
      } else if ('del' in write) {
        prepared.rows.push({ type: 'del', key: rowKey(write.del, write.key) });
      } else if ('close' in write) {
        prepared.rows.push({ type: 'del', key: headKey(write.close) });
        prepared.closed.push(write.close);
      } else if (write.events.length > 0) {
        const runId = write.append;
        const move = prepared.moves.get(runId);
        const before = move?.head ?? this.#heads.queued(runId);
        const { rows, head } = appendEvents(this.#source, runId, before, write.events);
        for (const row of rows) prepared.rows.push(row);
        prepared.moves.set(runId, { after: move?.after ?? before.seq, head });
      }
    }
    // A stamped row names the entries of the journal that came with it, so it is made when all of them are numbered.
    const entries = journalRangeOf(prepared.moves);
    for (const { stamp, key, value } of prepared.stamped) {
      prepared.rows.push(stampedRow(rowKey(stamp, key), { ...value, ...entries }));
    }
    return prepared;
  }

  /** Nothing comes between this look at the store and the place in the queue, so of equal rows exactly one is the first. */
  #prepareFirst({ rows, firsts }: Prepared, key: Buffer, value: unknown): void {
    const name = key.toString('utf8');
    if (firsts.has(name) || this.#firsts.has(name) || this.#isStored(key)) return;
    firsts.add(name);
    rows.push({ type: 'put', key, value: encodeRow(key, value) });
  }

  #isStored(key: Buffer): boolean {
    try {
      return this.#database.getSync(key) !== undefined;
    } catch (error) {
      throw readFailure(error, 'damaged_row', nameOf(key));
    }
  }

  async #deleteKeys(keys: readonly Buffer[]): Promise<void> {
    const rows = keys.map((key): RowChange => ({ type: 'del', key }));
    if (rows.length > 0) await this.#committer.add(rows, () => undefined);
  }

  /** Notes that a walk over the whole store begins; the caller calls the result at its end. */
  #begun(): () => void {
    let end = () => {};
    const walk = new Promise<void>((resolve) => {
      end = resolve;
    });
    this.#walks.add(walk);
    return () => {
      this.#walks.delete(walk);
      end();
    };
  }

  async #eventKeys(runId: string, limit: number): Promise<Buffer[]> {
    try {
      return await this.#database.keys({ ...eventsRange(runId), limit }).all();
    } catch (error) {
      throw readFailure(error, 'store_unreadable', `journal of ${runId}`);
    }
  }

  #landed({ moves, firsts, closed, stamped }: Prepared): void {
    for (const runId of closed) this.#heads.forget(runId);
    for (const first of firsts) this.#firsts.delete(first);
    for (const [runId, { after, head }] of moves) {
      this.#heads.settle(runId, head);
      this.#verified.extend(runId, after, head.seq);
    }
    for (const { stamp, key } of stamped) this.#onStamped(stamp, key);
  }
}

/**
 * Opens the ledger in a folder of its own, creating it when it is not there. Rejects with `LedgerError`:
 * `data_root_locked`, `store_format_unsupported`, `store_unreadable` or `ledger_damaged`.
 */
export async function openLedger(options: LedgerOptions): Promise<Ledger> {
  return new LevelLedger(await openNumberedStore(options.directory, options.formats), options);
}
