import type { ClassicLevel, Snapshot } from 'classic-level';
import { firstLink, follows, isEvent, jsonOf, linkOf, refuseUnproven } from './journal-chain.ts';
import { decodeHead, emptyHead, type JournalHeads, type VerifiedRanges } from './journal-heads.ts';
import { eventKey, eventSeqOf, headKey } from './keys.ts';
import { type JournalPage, LedgerError, readFailure, type StoredJournalHead } from './ledger.ts';

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
      const stored = await this.#database
        .values({ gt: eventKey(runId, after), lte: eventKey(runId, last), highWaterMarkBytes: portionBytes })
        .all();
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
