import type { RuntimeEvents } from '../../contract/journal/runtime-events.ts';
import { hasEnded, type Lifecycle, type RuntimeReason } from '../../contract/study/runtime-status.ts';
import type { JournalHead, JournalPage } from '../../storage/ledger/ledger.ts';

export interface EventsPage {
  readonly commandId: string;
  readonly runtimeId: string;
  readonly lifecycle: Lifecycle;
  readonly reason: RuntimeReason | null;
  /** The seq after which the page begins. */
  readonly after: number;
  readonly page: JournalPage;
}

const comma = Buffer.from(',');

/**
 * The answer to an events request as JSON bytes with a final newline. The stored events are joined as they are: a page
 * costs no parsing.
 */
export function runtimeEventsBytes({ commandId, runtimeId, lifecycle, reason, after, page }: EventsPage): Buffer {
  const nextCursor = after + page.events.length;
  const before = {
    schema: 'studio.local-runtime-events.v1',
    commandId,
    runtimeId,
    lifecycle,
    requestedCursor: after,
    nextCursor,
    journalHead: page.head.seq,
  } satisfies Partial<RuntimeEvents>;
  const behind = {
    reachedHead: nextCursor === page.head.seq,
    terminal: hasEnded(lifecycle),
    reason,
  } satisfies Partial<RuntimeEvents>;
  const events = page.events.flatMap((event, index) => (index === 0 ? [event] : [comma, event]));
  return Buffer.concat([
    Buffer.from(`${JSON.stringify(before).slice(0, -1)},"events":[`),
    ...events,
    Buffer.from(`],${JSON.stringify(behind).slice(1)}\n`),
  ]);
}

/** The value of the `Studio-Journal-Head` field: number of events and chain digest. */
export const journalHeadField = ({ seq, digest }: JournalHead): string => `${seq};sha256=${digest}`;
