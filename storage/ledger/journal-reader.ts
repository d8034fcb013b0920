import type { ClassicLevel } from 'classic-level';
import { firstLink, follows, isEvent, jsonOf, linkOf } from './journal-chain.ts';
import type { JournalHeads } from './journal-heads.ts';
import { eventKey } from './keys.ts';
import type { JournalPage } from './ledger.ts';
import { LedgerError, readFailure } from './ledger-error.ts';
import type { VerifiedRanges } from './verified-ranges.ts';

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
    if (!isEvent(stored)) throw new LedgerError('malformed_journal', `event ${seq} of ${runId} is no event`);
    return linkOf(stored);
  }
}

/** The digest of a stored event, once it is known to follow the event with the digest `previous`. */
export function checkedLink(runId: string, seq: number, previous: Buffer, stored: Buffer): Buffer {
  if (!isEvent(stored)) throw new LedgerError('malformed_journal', `event ${seq} of ${runId} is no event`);
  if (!follows(previous, stored)) {
    throw new LedgerError('invalid_journal_chain', `event ${seq} of ${runId} does not follow the one before`);
  }
  return linkOf(stored);
}
