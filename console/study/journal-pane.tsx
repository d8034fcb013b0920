import { useEffect, useMemo, useState } from 'preact/hooks';
import type { JournalEvent } from '../../contract/journal.ts';
import { useHost } from '../host/session.ts';
import { useStore } from '../host/use-remote.ts';
import { Identity } from '../parts/facts.tsx';
import { Agree } from '../parts/field.tsx';
import { WindowList } from '../parts/window-list.tsx';
import { journalChecks } from '../verification/checks.ts';
import { counted, timeOfDay } from '../words/numbers.ts';
import { sentence, wordsOf } from '../words/sentence.ts';
import type { StudyModel } from './study-model.ts';
import { VerifyHere } from './verify-here.tsx';

const rowHeight = 36;
const pageEvents = 200;

interface Sight {
  readonly first: number;
  readonly end: number;
}

interface ReadEvents {
  /** The events of the journal that the newest answer counted. */
  readonly count: number;
  /** How many from the first one on the model of the study holds. */
  readonly held: number;
  /** The others by their page; one that is being read for the first time is empty. */
  readonly pages: ReadonlyMap<number, readonly unknown[]>;
}

/** The pages to read for the events in sight. One that was read at the end of a running study is read again as it grows. */
export function missingPages({ first, end }: Sight, { count, held, pages }: ReadEvents): number[] {
  const inSight = [first, Math.max(first, end - 1)].map((index) => Math.floor(index / pageEvents));
  return [...new Set(inSight)].filter((page) => {
    const from = page * pageEvents;
    if (from + pageEvents <= held || from >= count) return false;
    const read = pages.get(page)?.length;
    return read === undefined || (read > 0 && read < Math.min(pageEvents, count - from));
  });
}

interface JournalPaneProps {
  readonly model: StudyModel;
  readonly runtimeId: string;
  /** The event that is looked at first, by its number; null for the first one of the journal. */
  readonly seq: number | null;
}

/** Every event of the study; of a long journal, the page reads only the visible part. */
export function JournalPane({ model, runtimeId, seq }: JournalPaneProps) {
  const host = useHost();
  const events = useStore(model.store, (context) => context.events);
  const [pages, setPages] = useState<ReadonlyMap<number, readonly JournalEvent[]>>(new Map());
  const [picked, setChosen] = useState<JournalEvent | null>(null);
  const [sight, setSight] = useState<Sight>({ first: 0, end: 0 });
  const count = useStore(model.store, (context) => context.journalHead);
  const at = (index: number): JournalEvent | undefined =>
    events[index] ?? pages.get(Math.floor(index / pageEvents))?.[index % pageEvents];
  const chosen = picked ?? (seq === null ? null : (at(seq - 1) ?? null));
  const [isTechnical, setTechnical] = useState(seq !== null);
  // Of a journal that is read page by page, no page knows which events the others have.
  const results = useMemo(() => (events.length < count ? null : resultEvents(events)), [events, count]);
  const shown = isTechnical ? null : results;
  useEffect(() => {
    for (const page of missingPages(sight, { count, held: events.length, pages })) {
      setPages((before) => new Map(before).set(page, before.get(page) ?? []));
      host.events(runtimeId, { after: page * pageEvents, limit: pageEvents }).then(
        (answer) => setPages((before) => new Map(before).set(page, answer.events)),
        // It is read again when it comes into sight next.
        () => setPages((before) => new Map([...before].filter(([each]) => each !== page))),
      );
    }
  }, [sight, events.length, count]);
  return (
    <div class="split">
      <section aria-labelledby="journal-title">
        <h2 id="journal-title">
          Journal <span class="quiet">{counted(count, 'event')}</span>
        </h2>
        {results !== null && (
          <Agree isTicked={isTechnical} onTick={setTechnical}>
            Technical: {counted(count - results.length, 'more event')} of tasks, agents and steps
          </Agree>
        )}
        <WindowList
          key={String(isTechnical)}
          label="Events"
          count={shown?.length ?? count}
          rowHeight={rowHeight}
          {...(shown === null && seq !== null && seq <= count && { showing: seq - 1 })}
          onSight={(first, end) => setSight({ first, end })}
          row={(index, tabIndex) => (
            <EventRow
              event={shown === null ? at(index) : shown[index]}
              seq={shown?.[index]?.seq ?? index + 1}
              tabIndex={tabIndex}
              onChoose={setChosen}
              chosenSeq={chosen?.seq ?? 0}
              isTechnical={isTechnical}
            />
          )}
        />
      </section>
      <aside aria-label="Chosen event">
        <VerifyHere check={() => journalChecks(host, runtimeId, events)} runtimeId={runtimeId} />
        {chosen === null ? (
          <p class="quiet">Choose an event to read what is stored.</p>
        ) : (
          <>
            <h2>{entryWords(chosen)}</h2>
            <p class="quiet">
              <span class="mono">{chosen.type}</span> · {chosen.producer.kind} · <Identity id={chosen.eventId} />
            </p>
            <pre class="event-json" tabIndex={0}>
              {JSON.stringify(chosen.data, null, 2)}
            </pre>
          </>
        )}
      </aside>
    </div>
  );
}

/** The events with findings and decisions. Those of tasks, agents and beginning steps are for engineers. */
export const resultEvents = <Event extends Pick<JournalEvent, 'type'>>(events: readonly Event[]): readonly Event[] =>
  events.filter(({ type }) => !/^(task|agent|executor)\.|_started$|^media\.operation_completed$/.test(type));

/** The artifact that an event recorded, in words: `speech activity`; empty for other events. */
function recordedKind({ type, data }: Pick<JournalEvent, 'type' | 'data'>): string {
  const artifact =
    type === 'artifact.recorded' && typeof data === 'object' && data !== null && 'artifact' in data
      ? data.artifact
      : null;
  return typeof artifact === 'object' && artifact !== null && 'kind' in artifact && typeof artifact.kind === 'string'
    ? wordsOf(artifact.kind)
    : '';
}

/** An event as people read it: `Detected silence`, `Evidence read completed`. */
export function entryWords(event: Pick<JournalEvent, 'type' | 'data'>): string {
  return sentence(recordedKind(event) || wordsOf(event.type));
}

interface EventRowProps {
  readonly event: JournalEvent | undefined;
  readonly seq: number;
  readonly tabIndex: 0 | -1;
  readonly chosenSeq: number;
  readonly isTechnical: boolean;
  readonly onChoose: (event: JournalEvent) => void;
}

const EventRow = ({ event, seq, tabIndex, chosenSeq, isTechnical, onChoose }: EventRowProps) =>
  event === undefined ? (
    <span class="event-row quiet">
      <span class="mono">{seq}</span> reading
    </span>
  ) : (
    <button
      type="button"
      class="event-row"
      tabIndex={tabIndex}
      aria-pressed={seq === chosenSeq}
      onClick={() => onChoose(event)}
    >
      <span class="mono quiet">{seq}</span>
      <span class="event-type">
        {entryWords(event)} {isTechnical && <span class="quiet mono">{event.type}</span>}
      </span>
      <span class="mono quiet event-time">{timeOfDay(event.recordedAt)}</span>
    </button>
  );
