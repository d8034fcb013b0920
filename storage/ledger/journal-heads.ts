import { BoundedMap } from '../bounded-map.ts';
import { firstLink, isEvent, linkOf } from './journal-chain.ts';
import { eventKey, headKey } from './keys.ts';
import type { JournalHead } from './ledger.ts';
import { LedgerError, readFailure } from './ledger-error.ts';
import { decodeRow } from './row-codec.ts';
import { refuseUnproven } from './unproven.ts';

// About 300 bytes each.
const rememberedRuns = 4096;

/** A synchronous point read of one stored row. */
export type ReadRow = (key: Buffer) => Buffer | undefined;

/** The head of a journal that has no event. */
export const emptyHead = (runId: string): JournalHead => ({
  seq: 0,
  digest: firstLink(runId).toString('hex'),
  recordedAt: null,
});

function isHead(value: unknown): value is JournalHead {
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
export function decodeHead(runId: string, row: Buffer | undefined): JournalHead {
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
  readonly #checked = new BoundedMap<string, JournalHead>(rememberedRuns);
  // Runs with queued events; never forgotten before they are on disk.
  readonly #moving = new Map<string, { durable: JournalHead; queued: JournalHead }>();

  constructor(read: ReadRow) {
    this.#read = read;
  }

  /** The head on disk as its row says; its events are not looked at. */
  durable(runId: string): JournalHead {
    return this.#known(runId) ?? this.#load(runId);
  }

  /**
   * The head on disk, held once against the end of its journal. Throws `invalid_journal_chain` when the last event is
   * missing, has another digest, or is followed by events that the head does not know.
   */
  checked(runId: string): JournalHead {
    const known = this.#known(runId);
    if (known !== undefined) return known;
    const head = this.#load(runId);
    this.#checkEnd(runId, head);
    this.#checked.set(runId, head);
    return head;
  }

  /** The head from which the next event is numbered. */
  queued(runId: string): JournalHead {
    return this.#moving.get(runId)?.queued ?? this.checked(runId);
  }

  /** Notes that events up to `head` are queued. */
  advance(runId: string, head: JournalHead): void {
    const durable = this.#moving.get(runId)?.durable ?? this.checked(runId);
    this.#moving.set(runId, { durable, queued: head });
  }

  /** Notes that everything up to `head` is on disk. */
  settle(runId: string, head: JournalHead): void {
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

  #known(runId: string): JournalHead | undefined {
    return this.#moving.get(runId)?.durable ?? this.#checked.get(runId);
  }

  #load(runId: string): JournalHead {
    refuseUnproven(runId, (key) => this.#row(runId, key));
    return decodeHead(runId, this.#row(runId, headKey(runId)));
  }

  #checkEnd(runId: string, head: JournalHead): void {
    if (head.seq > 0) {
      const last = this.#row(runId, eventKey(runId, head.seq));
      if (last === undefined) throw new LedgerError('invalid_journal_chain', `${runId} lacks event ${head.seq}`);
      if (!isEvent(last)) throw new LedgerError('malformed_journal', `event ${head.seq} of ${runId} is no event`);
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
