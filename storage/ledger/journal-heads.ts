import { BoundedMap } from '../bounded-map.ts';
import { firstLink, isEvent, linkOf, refuseUnproven } from './journal-chain.ts';
import { eventKey, headKey } from './keys.ts';
import { LedgerError, readFailure, type StoredJournalHead } from './ledger.ts';
import { decodeRow } from './row-codec.ts';

// About 300 bytes each.
const rememberedRuns = 4096;

/** A synchronous point read of one stored row. */
type ReadRow = (key: Buffer) => Buffer | undefined;

/** The head of a journal that has no event. */
export const emptyHead = (runId: string): StoredJournalHead => ({
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
export function decodeHead(runId: string, row: Buffer | undefined): StoredJournalHead {
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
  readonly #checked = new BoundedMap<string, StoredJournalHead>(rememberedRuns);
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
  readonly #ranges = new BoundedMap<string, { after: number; last: number }>(rememberedRuns);

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

  /** Adds events that this process wrote itself, where they go on from what is known. */
  extend(runId: string, after: number, last: number): void {
    const range = this.#ranges.get(runId);
    if (range === undefined || range.last === after) this.#ranges.set(runId, { after: range?.after ?? after, last });
  }
}
