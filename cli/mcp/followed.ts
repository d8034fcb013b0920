import type { StudyHost } from '../../client/study-host.ts';
import type { JournalEvent } from '../../contract/journal/journal-event.ts';
import { maximumAnswerCharacters } from './paged.ts';

export interface Following {
  readonly runtimeId: string;
  readonly cursor: number;
  readonly limit: number;
  readonly waitMs: number;
}

/** What an agent sees of an event; the records in it are read by their own tools. */
const seen = ({ seq, type, recordedAt }: JournalEvent) => ({ seq, type, recordedAt });

/** The events after a cursor that one answer holds. Waits for the first, and not for more than came with it. */
export async function followed(host: StudyHost, { runtimeId, cursor, limit, waitMs }: Following, signal: AbortSignal) {
  const events: ReturnType<typeof seen>[] = [];
  let nextCursor = cursor;
  let characters = 0;
  let page = await host.events(runtimeId, {
    after: cursor,
    limit: Math.min(limit, 200),
    waitMs: Math.min(waitMs, 8000),
    signal,
  });
  for (let waitedMs = 8000; page.events.length === 0 && !page.terminal && waitedMs < waitMs; waitedMs += 8000) {
    page = await host.events(runtimeId, {
      after: cursor,
      limit: Math.min(limit, 200),
      waitMs: Math.min(waitMs - waitedMs, 8000),
      signal,
    });
  }
  for (const event of page.events) {
    characters += JSON.stringify(seen(event)).length;
    if (characters > maximumAnswerCharacters) break;
    events.push(seen(event));
    nextCursor = event.seq;
  }
  const hasEnded = page.terminal && nextCursor === page.journalHead;
  return { lifecycle: page.lifecycle, reason: page.reason, events, nextCursor, hasEnded };
}
