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

/** So long one request is held back. */
const longestWaitMs = 8000;

/** The events after a cursor that one answer holds. Waits for the first, and not for more than came with it. */
export async function followed(host: StudyHost, { runtimeId, cursor, limit, waitMs }: Following, signal: AbortSignal) {
  const events: ReturnType<typeof seen>[] = [];
  let nextCursor = cursor;
  let characters = 0;
  const pageWithin = (leftMs: number) =>
    host.events(runtimeId, {
      after: cursor,
      limit: Math.min(limit, 200),
      waitMs: Math.min(leftMs, longestWaitMs),
      signal,
    });
  let page = await pageWithin(waitMs);
  for (let leftMs = waitMs; leftMs > longestWaitMs && page.events.length === 0 && !page.terminal; ) {
    leftMs -= longestWaitMs;
    page = await pageWithin(leftMs);
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
