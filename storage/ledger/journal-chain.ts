import { createHash, hash } from 'node:crypto';
import type { RowChange } from './committer.ts';
import { eventKey, headKey, rowKey } from './keys.ts';
import { type EventDraft, LedgerError, type StoredJournalHead } from './ledger.ts';
import { encodeRow } from './row-codec.ts';

const linkBytes = 32;
const openBrace = 0x7b;

/** chain₀ = SHA-256(UTF-8 runId). */
export const firstLink = (runId: string): Buffer => hash('sha256', runId, 'buffer');

/**
 * A stored event: chainₙ (32 bytes) followed by the UTF-8 canonical JSON of eventₙ, where
 * chainₙ = SHA-256(chainₙ₋₁ ‖ canonical JSON).
 */
export function chainEvent(previous: Buffer, json: string): Buffer {
  const stored = Buffer.allocUnsafe(linkBytes + Buffer.byteLength(json, 'utf8'));
  previous.copy(stored);
  stored.write(json, linkBytes, 'utf8');
  hash('sha256', stored, 'buffer').copy(stored);
  return stored;
}

/** The chain digest of a stored event; a view. */
export const linkOf = (stored: Buffer): Buffer => stored.subarray(0, linkBytes);

/** The canonical JSON of a stored event; a view. */
export const jsonOf = (stored: Buffer): Buffer => stored.subarray(linkBytes);

/** True if a stored value has the shape of an event at all: a digest and a JSON object. */
export const isEvent = (stored: Buffer): boolean => stored.length > linkBytes && stored[linkBytes] === openBrace;

/** True if a stored event follows the event with the digest `previous`. */
export const follows = (previous: Buffer, stored: Buffer): boolean =>
  createHash('sha256').update(previous).update(jsonOf(stored)).digest().equals(linkOf(stored));

/**
 * Refuses a journal that the ledger knew when a loss was given up: what was lost may have been its last events. Throws
 * `invalid_journal_chain`.
 */
export function refuseUnproven(runId: string, read: (key: Buffer) => Buffer | undefined): void {
  if (read(rowKey('unproven', runId)) === undefined) return;
  const what = 'the ledger lost commits, and its owner gave them up';
  throw new LedgerError('invalid_journal_chain', `${runId} may lack its last events: ${what}`);
}

export interface EventSource {
  /** Milliseconds since the epoch. */
  readonly clock: { now(): number };
  /** Canonical JSON of an event. */
  readonly encodeEvent: (event: unknown) => string;
}

/**
 * The rows that append `drafts` to a journal that ends with `head`, and the head after them. Times always increase: each event is
 * recorded now, or one millisecond after the one before, whichever is later.
 */
export function appendEvents(
  source: EventSource,
  runId: string,
  head: StoredJournalHead,
  drafts: readonly EventDraft[],
): { rows: RowChange[]; head: StoredJournalHead } {
  const rows: RowChange[] = [];
  let { seq, recordedAt } = head;
  let link: Buffer = Buffer.from(head.digest, 'hex');
  for (const draft of drafts) {
    seq += 1;
    const earliest = recordedAt === null ? 0 : Date.parse(recordedAt) + 1;
    recordedAt = new Date(Math.max(source.clock.now(), earliest)).toISOString();
    // In the order of its canonical form, so that nothing has to be sorted.
    const event = {
      causationId: draft.causationId,
      correlationId: draft.correlationId,
      data: draft.data,
      eventId: `event:${runId}:${seq}`,
      producer: draft.producer,
      recordedAt,
      runId,
      schema: 'studio.runtime.event.v1',
      seq,
      type: draft.type,
    };
    const value = chainEvent(link, source.encodeEvent(event));
    link = linkOf(value);
    rows.push({ type: 'put', key: eventKey(runId, seq), value });
  }
  const moved = { seq, digest: link.toString('hex'), recordedAt };
  const key = headKey(runId);
  rows.push({ type: 'put', key, value: encodeRow(key, moved) });
  return { rows, head: moved };
}
