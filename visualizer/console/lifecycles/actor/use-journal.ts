import { useEffect, useState } from 'preact/hooks';
import type { StudyHost } from '../../../../client/study-host.ts';
import type { JournalEvent } from '../../../../contract/journal.ts';

const pageEvents = 200;
/** A longer journal is read in the view of its study; here its beginning is enough to explain the steps of a study. */
const mostEvents = 5_000;

/** The journal of a study, read on whenever the actor has moved. */
export function useJournal(host: StudyHost, runtimeId: string | null, moves: number): readonly JournalEvent[] {
  const [events, setEvents] = useState<readonly JournalEvent[]>([]);
  useEffect(() => {
    if (runtimeId === null) return;
    const stop = new AbortController();
    const read = async (): Promise<void> => {
      let known = events;
      for (let isAll = false; !isAll && known.length < mostEvents; ) {
        const after = known.at(-1)?.seq ?? 0;
        const page = await host.events(runtimeId, { after, limit: pageEvents, signal: stop.signal });
        known = [...known, ...page.events];
        isAll = page.reachedHead;
      }
      if (!stop.signal.aborted) setEvents(known);
    };
    // Without its journal a step still has its event, its time and its commit.
    read().catch(() => undefined);
    return () => stop.abort();
  }, [host, runtimeId, moves]);
  return events;
}
