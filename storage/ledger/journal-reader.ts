import type { ClassicLevel, Snapshot } from 'classic-level';
import { LRUCache } from 'lru-cache';
import { firstLink, follows, isEvent, jsonOf, linkOf, refuseUnproven } from './journal-chain.ts';
import { eventKey, eventSeqOf, headKey } from './keys.ts';
import { type JournalPage, LedgerError, readFailure, type StoredJournalHead } from './ledger.ts';
import { allOf, decodeRow } from './row-codec.ts';

// About 300 bytes each.
const rememberedRuns = 4096;

/** A synchronous point read of one stored row. */
type ReadRow = (key: Buffer) => Buffer | undefined;

/** The head of a journal that has no event. */
const emptyHead = (runId: string): StoredJournalHead => ({
  seq: 0,
  digest: firstLink(runId).toString('hex'),
  recordedAt: null,
});

function isHead(value: unknown): value is StoredJournalHead {
  return (
    typeof value === 'object' &&
    value !== null &&
    'seq' in value &&
    Number.isSafeInteger(value.seq) &&
    'digest' in value &&
    typeof value.digest === 'string' &&
    'recordedAt' in value &&
    typeof value.recordedAt === 'string'
  );
}

/** The head that a stored row holds. Throws `malformed_journal` when it holds none. */
function decodeHead(runId: string, row: Buffer | undefined): StoredJournalHead {
  if (row === undefined) return emptyHead(runId);
  let value: unknown;
  try {
    value = decodeRow(headKey(runId), row);
  } catch (cause) {
    throw new LedgerError('malformed_journal', `the head of ${runId} cannot be read`, cause);
  }
  if (!isHead(value)) throw new LedgerError('malformed_journal', `the head of ${runId} has another shape`);
  return value;
}

/**
 * The heads of all journals. Reads see the head that is on disk; new events are numbered from the head that also
 * counts what is queued.
 */
export class JournalHeads {
  readonly #read: ReadRow;
  readonly #checked = new LRUCache<string, StoredJournalHead>({ max: rememberedRuns });
  // Runs with queued events; never forgotten before they are on disk.
  readonly #moving = new Map<string, { durable: StoredJournalHead; queued: StoredJournalHead }>();

  constructor(read: ReadRow) {
    this.#read = read;
  }

  /** The head on disk as its row says; its events are not looked at. */
  durable(runId: string): StoredJournalHead {
    return this.#known(runId) ?? this.#load(runId);
  }

  /**
   * The head on disk, held once against the end of its journal. Throws `invalid_journal_chain` when the last event is
   * missing, has another digest, or is followed by events that the head does not know.
   */
  checked(runId: string): StoredJournalHead {
    const known = this.#known(runId);
    if (known !== undefined) return known;
    const head = this.#load(runId);
    this.#checkEnd(runId, head);
    this.#checked.set(runId, head);
    return head;
  }

  /** The head from which the next event is numbered. */
  queued(runId: string): StoredJournalHead {
    return this.#moving.get(runId)?.queued ?? this.checked(runId);
  }

  /** Notes that events up to `head` are queued. */
  advance(runId: string, head: StoredJournalHead): void {
    const durable = this.#moving.get(runId)?.durable ?? this.checked(runId);
    this.#moving.set(runId, { durable, queued: head });
  }

  /** Notes that everything up to `head` is on disk. */
  settle(runId: string, head: StoredJournalHead): void {
    const queued = this.#moving.get(runId)?.queued;
    if (queued === undefined || queued.seq === head.seq) {
      this.#moving.delete(runId);
      this.#checked.set(runId, head);
    } else {
      this.#moving.set(runId, { durable: head, queued });
    }
  }

  /** Notes that a journal is closed, which nothing was queued for. */
  forget(runId: string): void {
    this.#checked.delete(runId);
  }

  #known(runId: string): StoredJournalHead | undefined {
    return this.#moving.get(runId)?.durable ?? this.#checked.get(runId);
  }

  #load(runId: string): StoredJournalHead {
    refuseUnproven(runId, (key) => this.#row(runId, key));
    return decodeHead(runId, this.#row(runId, headKey(runId)));
  }

  #checkEnd(runId: string, head: StoredJournalHead): void {
    if (head.seq > 0) {
      const last = this.#row(runId, eventKey(runId, head.seq));
      if (last === undefined) throw new LedgerError('invalid_journal_chain', `${runId} lacks event ${head.seq}`);
      if (!isEvent(last)) throw new LedgerError('malformed_journal', `event ${head.seq} of ${runId} is not an event`);
      if (linkOf(last).toString('hex') !== head.digest) {
        throw new LedgerError('invalid_journal_chain', `event ${head.seq} of ${runId} is not the head's`);
      }
    }
    if (this.#row(runId, eventKey(runId, head.seq + 1)) !== undefined) {
      throw new LedgerError('invalid_journal_chain', `${runId} has events after its head ${head.seq}`);
    }
  }

  #row(runId: string, key: Buffer): Buffer | undefined {
    try {
      return this.#read(key);
    } catch (error) {
      throw readFailure(error, 'malformed_journal', `journal of ${runId}`);
    }
  }
}

/** The events of journals that this process has verified: one stretch `(after, last]` of seqs a journal. */
export class VerifiedRanges {
  readonly #ranges = new LRUCache<string, { after: number; last: number }>({ max: rememberedRuns });

  covers(runId: string, after: number, last: number): boolean {
    const range = this.#ranges.get(runId);
    return range !== undefined && range.after <= after && last <= range.last;
  }

  /** Adds a stretch that was read and found whole; one that does not touch the known stretch takes its place. */
  add(runId: string, after: number, last: number): void {
    const range = this.#ranges.get(runId);
    const touches = range !== undefined && range.after <= last && after <= range.last;
    this.#ranges.set(
      runId,
      touches ? { after: Math.min(range.after, after), last: Math.max(range.last, last) } : { after, last },
    );
  }

  /** Adds events that this process wrote itself, where they follow what is known. */
  extend(runId: string, after: number, last: number): void {
    const range = this.#ranges.get(runId);
    if (range === undefined || range.last === after) this.#ranges.set(runId, { after: range?.after ?? after, last });
  }
}

// LevelDB hands rows over in portions of this size; a page of 200 events fits into one.
const portionBytes = 1024 * 1024;

/** Reads pages of journals by one range scan each, and checks them against the chain once in a process's life. */
export class JournalReader {
  readonly #database: ClassicLevel<Buffer, Buffer>;
  readonly #heads: JournalHeads;
  readonly #verified: VerifiedRanges;

  constructor(database: ClassicLevel<Buffer, Buffer>, heads: JournalHeads, verified: VerifiedRanges) {
    this.#database = database;
    this.#heads = heads;
    this.#verified = verified;
  }

  /** Events with seq in (after, after + limit]. Throws `invalid_journal_chain` or `malformed_journal`. */
  async page(runId: string, after: number, limit: number): Promise<JournalPage> {
    const head = this.#heads.checked(runId);
    const last = Math.min(after + limit, head.seq);
    if (last <= after) return { events: [], head };
    try {
      const range = { gt: eventKey(runId, after), lte: eventKey(runId, last), highWaterMarkBytes: portionBytes };
      const stored = await allOf(this.#database.values(range));
      // Keys are unique, so a full count leaves no room for a gap.
      if (stored.length !== last - after) {
        throw new LedgerError('invalid_journal_chain', `${runId} lacks events in (${after}, ${last}]`);
      }
      if (!this.#verified.covers(runId, after, last)) {
        this.#verify(runId, after, stored);
        this.#verified.add(runId, after, last);
      }
      return { events: stored.map(jsonOf), head };
    } catch (error) {
      throw readFailure(error, 'malformed_journal', `journal of ${runId}`);
    }
  }

  #verify(runId: string, after: number, stored: readonly Buffer[]): void {
    let link = this.#linkAt(runId, after);
    let seq = after;
    for (const value of stored) {
      seq += 1;
      link = checkedLink(runId, seq, link, value);
    }
  }

  #linkAt(runId: string, seq: number): Buffer {
    if (seq === 0) return firstLink(runId);
    const stored = this.#database.getSync(eventKey(runId, seq));
    if (stored === undefined) throw new LedgerError('invalid_journal_chain', `${runId} lacks event ${seq}`);
    if (!isEvent(stored)) throw new LedgerError('malformed_journal', `event ${seq} of ${runId} is not an event`);
    return linkOf(stored);
  }
}

/** The digest of a stored event, once it is known to follow the event with the digest `previous`. */
function checkedLink(runId: string, seq: number, previous: Buffer, stored: Buffer): Buffer {
  if (!isEvent(stored)) throw new LedgerError('malformed_journal', `event ${seq} of ${runId} is not an event`);
  if (!follows(previous, stored)) {
    throw new LedgerError('invalid_journal_chain', `event ${seq} of ${runId} does not follow the one before`);
  }
  return linkOf(stored);
}

const chunkEvents = 500;
const chunkBytes = 1024 * 1024;

/**
 * Reads a whole journal as it is on disk at this moment. The seqs must be without a gap, the times must never go back, and the
 * head must name the last event. It also checks every link of the chain, and the ids inside the events. Memory is bounded by one
 * chunk. Throws `invalid_journal_chain` or `malformed_journal`, with the last good head if there is one.
 */
export async function auditJournal(database: ClassicLevel<Buffer, Buffer>, runId: string): Promise<StoredJournalHead> {
  const rowOfHead = headKey(runId);
  try {
    const snapshot = database.snapshot();
    try {
      const head = decodeHead(runId, database.getSync(rowOfHead, { snapshot }));
      const end = await readEvents(database, snapshot, runId);
      if (head.seq !== end.seq || head.digest !== end.digest || head.recordedAt !== end.recordedAt) {
        const ends = `${runId} ends with ${end.seq}, its head says ${head.seq}`;
        throw stoppedAt(end, new LedgerError('invalid_journal_chain', ends));
      }
      refuseUnprovenAt(database, snapshot, head, runId);
      return head;
    } finally {
      await snapshot.close();
    }
  } catch (error) {
    throw readFailure(error, 'malformed_journal', `journal of ${runId}`);
  }
}

async function readEvents(
  database: ClassicLevel<Buffer, Buffer>,
  snapshot: Snapshot,
  runId: string,
): Promise<StoredJournalHead> {
  const events = database.iterator({
    gt: eventKey(runId, 0),
    lte: eventKey(runId, Number.MAX_SAFE_INTEGER),
    highWaterMarkBytes: chunkBytes,
    snapshot,
  });
  let seq = 0;
  let link: Buffer = firstLink(runId);
  let recordedAt: string | null = null;
  let good = emptyHead(runId);
  try {
    for (let chunk = await events.nextv(chunkEvents); chunk.length > 0; chunk = await events.nextv(chunkEvents)) {
      for (const [key, stored] of chunk) {
        seq += 1;
        if (eventSeqOf(key) !== seq) throw new LedgerError('invalid_journal_chain', `${runId} lacks event ${seq}`);
        link = checkedLink(runId, seq, link, stored);
        recordedAt = checkedTime(runId, seq, recordedAt, stored);
        good = { seq, digest: link.toString('hex'), recordedAt };
      }
    }
  } catch (error) {
    throw stoppedAt(good, readFailure(error, 'malformed_journal', `journal of ${runId}`));
  } finally {
    await events.close();
  }
  return good;
}

function refuseUnprovenAt(
  database: ClassicLevel<Buffer, Buffer>,
  snapshot: Snapshot,
  head: StoredJournalHead,
  runId: string,
): void {
  try {
    refuseUnproven(runId, (key) => database.getSync(key, { snapshot }));
  } catch (error) {
    throw error instanceof LedgerError ? stoppedAt(head, error) : error;
  }
}

function stoppedAt(good: StoredJournalHead, error: LedgerError): LedgerError {
  error.lastGood = good;
  return error;
}

function checkedTime(runId: string, seq: number, earlier: string | null, stored: Buffer): string {
  const event = parseEvent(runId, seq, stored);
  if (event.runId !== runId || event.seq !== seq) {
    throw new LedgerError('invalid_journal_chain', `event ${seq} of ${runId} says that it is another`);
  }
  const time = typeof event.recordedAt === 'string' ? event.recordedAt : '';
  if (Number.isNaN(Date.parse(time))) {
    throw new LedgerError('malformed_journal', `event ${seq} of ${runId} has no time`);
  }
  if (earlier !== null && Date.parse(time) < Date.parse(earlier)) {
    throw new LedgerError('invalid_journal_chain', `event ${seq} of ${runId} is earlier than the one before`);
  }
  return time;
}

function parseEvent(runId: string, seq: number, stored: Buffer): Record<string, unknown> {
  try {
    return JSON.parse(jsonOf(stored).toString('utf8'));
  } catch (cause) {
    throw new LedgerError('malformed_journal', `event ${seq} of ${runId} is not JSON`, cause);
  }
}
