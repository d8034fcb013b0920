import type { RowChange } from './committer.ts';
import { chainEvent, linkOf } from './journal-chain.ts';
import { eventKey, headKey } from './keys.ts';
import type { EventDraft, JournalHead } from './ledger.ts';
import { encodeRow } from './row-codec.ts';

export interface EventSource {
  /** Milliseconds since the epoch. */
  readonly clock: { now(): number };
  /** Canonical JSON of an event. */
  readonly encodeEvent: (event: unknown) => string;
}

/**
 * The rows that append `drafts` to a journal which ends with `head`, and the head after them. Times never stand
 * still: each event is recorded now, or one millisecond after the one before, whichever is later.
 */
export function appendEvents(
  source: EventSource,
  runId: string,
  head: JournalHead,
  drafts: readonly EventDraft[],
): { rows: RowChange[]; head: JournalHead } {
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
