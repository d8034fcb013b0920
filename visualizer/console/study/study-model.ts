import { createStore } from '@xstate/store';
import type { StudyHost } from '../../../client/study-host.ts';
import type { JournalEvent } from '../../../contract/journal/journal-event.ts';
import type { RuntimeOverview } from '../../../contract/overview/runtime-overview.ts';
import type { AssessmentAudits } from '../../../contract/study/assessment-audits.ts';
import type { RuntimeEvidence } from '../../../contract/study/runtime-evidence.ts';

/** Events that a page keeps, so that a claim is followed to its read. A longer journal is read page by page where it is shown. */
export const keptEvents = 5_000;

/** After an event the answers are asked for again, but not more often than this. */
const quietMs = 400;

export interface Study {
  readonly overview: RuntimeOverview;
  readonly evidence: RuntimeEvidence;
  readonly audits: AssessmentAudits;
}

interface Model {
  readonly study: Study | null;
  /** What the last question failed with, beside an older study that may still be shown. */
  readonly error: unknown;
  readonly events: readonly JournalEvent[];
  /** How many events the journal has; it may have more than are kept here. */
  readonly journalHead: number;
  /** What is done now, in the word of the newest event. */
  readonly isLive: boolean;
}

export type StudyModel = ReturnType<typeof studyModel>;

const makeStore = () =>
  createStore({
    context: { study: null, error: null, events: [], journalHead: 0, isLive: false } as Model,
    on: {
      read: (context, { study }: { study: Study }) => ({ ...context, study, error: null }),
      failed: (context, { error }: { error: unknown }) => ({ ...context, error }),
      heard: (context, { events, head = 0 }: { events: readonly JournalEvent[]; head?: number }) => ({
        ...context,
        events: [...context.events, ...events],
        journalHead: Math.max(context.journalHead, head, context.events.length + events.length),
      }),
      live: (context, { isLive }: { isLive: boolean }) => ({ ...context, isLive }),
    },
  });

/** One study as a page shows it: read as a whole, then followed event by event. */
export function studyModel(host: StudyHost, runtimeId: string) {
  const store = makeStore();
  const stop = new AbortController();
  let timer: ReturnType<typeof setTimeout> | null = null;

  const read = async (): Promise<void> => {
    try {
      const [overview, evidence, audits] = await Promise.all([
        host.overview(runtimeId),
        host.evidence(runtimeId, 'all'),
        host.claims(runtimeId),
      ]);
      store.send({ type: 'read', study: { overview, evidence, audits } });
    } catch (error) {
      store.send({ type: 'failed', error });
    }
  };

  const readSoon = (): void => {
    timer ??= setTimeout(() => {
      timer = null;
      void read();
    }, quietMs);
  };

  /** Reads what the journal has, then follows it for as long as the study lives. */
  const follow = async (): Promise<void> => {
    let known = 0;
    for (;;) {
      const page = await host.events(runtimeId, { after: known, signal: stop.signal });
      known = page.nextCursor;
      store.send({ type: 'heard', events: page.events, head: page.journalHead });
      if (page.reachedHead || known >= keptEvents) {
        if (page.terminal) return;
        break;
      }
    }
    store.send({ type: 'live', isLive: true });
    for await (const event of host.follow(runtimeId, { after: known, signal: stop.signal })) {
      store.send({ type: 'heard', events: [event] });
      readSoon();
    }
    store.send({ type: 'live', isLive: false });
    readSoon();
  };

  /** Reads everything anew, with the events that came since: after a deed of the person. */
  const refresh = async (): Promise<void> => {
    const known = store.getSnapshot().context.events.length;
    const page = await host.events(runtimeId, { after: known });
    store.send({ type: 'heard', events: page.events, head: page.journalHead });
    await read();
  };

  const open = (): (() => void) => {
    void read();
    follow().catch((error: unknown) => {
      if (!stop.signal.aborted) store.send({ type: 'failed', error });
    });
    return () => {
      stop.abort();
      if (timer !== null) clearTimeout(timer);
    };
  };

  return { store, open, refresh, read };
}
