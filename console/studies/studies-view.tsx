import { useEffect, useRef, useState } from 'preact/hooks';
import { HostError } from '../../client/host-error.ts';
import type { RuntimesOptions } from '../../client/studies.ts';
import type { StudyHost } from '../../client/study-host.ts';
import type { LibraryStudy } from '../../contract/library.ts';
import { isCanceled } from '../../contract/study/cancellation.ts';
import type { RuntimeRow } from '../../contract/study/status.ts';
import { addressOf } from '../host/route.ts';
import { useHost } from '../host/session.ts';
import { useAfterMoves } from '../host/streams.ts';
import { useEvery, useRemote } from '../host/use-remote.ts';
import { Badge } from '../parts/facts.tsx';
import { Field } from '../parts/field.tsx';
import { Failed, Loading, Notice } from '../parts/notice.tsx';
import { narrowPage, useMedia, WindowList } from '../parts/window-list.tsx';
import { studyState } from '../sources/library-model.ts';
import { failureStory } from '../words/failures.ts';
import { languageOfName } from '../words/language-name.ts';
import { counted, moment, rangeCode } from '../words/numbers.ts';
import { sentence } from '../words/sentence.ts';
import { lifecycles } from '../words/tone.ts';

const pageRows = 100;
/** A deletion moves no actor, so the stream does not tell of it. */
const everyMs = 30_000;

interface Read {
  readonly rows: readonly RuntimeRow[];
  /** The cursor of the next page; null after the last one. */
  readonly cursor: string | null;
}

interface StudyPages {
  readonly rows: readonly RuntimeRow[];
  readonly isWhole: boolean;
  readonly isAsking: boolean;
  readonly error: unknown;
  /** Asks for the next page, unless one is being asked for or there is none. */
  readonly more: () => void;
  /** Begins with the first page again. */
  readonly retry: () => void;
}

/** The matching studies, newest first, a page at a time. While there is only the first page, it follows the host. */
function useStudyPages(host: StudyHost, fitting: Omit<RuntimesOptions, 'limit' | 'after'>): StudyPages {
  const [{ rows, cursor }, setRead] = useState<Read>({ rows: [], cursor: null });
  const [isAsking, setAsking] = useState(true);
  const [error, setError] = useState<unknown>(null);
  // An answer that a later question has overtaken is not shown.
  const turn = useRef(0);
  const read = async (after: string | null, before: readonly RuntimeRow[]): Promise<void> => {
    turn.current += 1;
    const own = turn.current;
    const page = await host.runtimes({ ...fitting, limit: pageRows, ...(after !== null && { after }) });
    if (own !== turn.current) return;
    // Together, so that a list at its end is drawn once and asks for what follows.
    setRead({ rows: [...before, ...page.runtimes], cursor: page.nextCursor });
    setError(null);
    setAsking(false);
  };
  const ask = (after: string | null, before: readonly RuntimeRow[]): void => {
    setAsking(true);
    const reading = read(after, before);
    const own = turn.current;
    reading.catch((failure: unknown) => {
      if (own !== turn.current) return;
      setError(failure);
      setAsking(false);
    });
  };
  const { sourceSessionId, lifecycle } = fitting;
  useEffect(() => {
    setRead({ rows: [], cursor: null });
    ask(null, []);
  }, [host, sourceSessionId, lifecycle]);
  // Only the first page moves: the others are older.
  const isFirstPage = rows.length <= pageRows;
  const look = async () => {
    // The page as a whole says that the host is gone.
    if (isFirstPage && !isAsking) await read(null, []).catch(() => undefined);
  };
  useAfterMoves(
    host,
    () => void look(),
    ({ kind }) => kind === 'runtime',
  );
  useEvery(everyMs, isFirstPage, look);
  return {
    ...{ rows, isAsking, error, isWhole: cursor === null },
    more: () => {
      if (cursor !== null && !isAsking && error === null) ask(cursor, rows);
    },
    retry: () => ask(null, []),
  };
}

const rowHeight = 64;
/** On a narrow page a name takes two lines, and equal ranges of one source differ by their time alone. */
const narrowRowHeight = 104;

interface StudiesViewProps {
  readonly source: string | null;
  readonly lifecycle: string | null;
}

/** The studies of the host, newest first, a page at a time. */
export function StudiesView({ source, lifecycle }: StudiesViewProps) {
  const host = useHost();
  const isNarrow = useMedia(narrowPage);
  const { rows, isWhole, isAsking, error, more, retry } = useStudyPages(host, {
    ...(source !== null && { sourceSessionId: source }),
    ...(lifecycle !== null && { lifecycle: lifecycle as NonNullable<RuntimesOptions['lifecycle']> }),
  });
  const { remote: sources } = useRemote(() => host.sources(), [host]);
  const go = (change: Partial<StudiesViewProps>) => {
    location.hash = addressOf({ view: 'studies', source, lifecycle, ...change });
  };
  return (
    <div class="page">
      <h1>Studies</h1>
      <div class="filters">
        <Field label="State">
          {(id) => (
            <select
              id={id}
              value={lifecycle ?? ''}
              onChange={({ currentTarget: { value } }) => go({ lifecycle: value || null })}
            >
              <option value="">All</option>
              {Object.entries(lifecycles).map(([code, words]) => (
                <option key={code} value={code}>
                  {code === 'interrupted' ? 'Interrupted or canceled' : sentence(words)}
                </option>
              ))}
            </select>
          )}
        </Field>
        <Field label="Source">
          {(id) => (
            <select
              id={id}
              value={source ?? ''}
              onChange={({ currentTarget: { value } }) => go({ source: value || null })}
            >
              <option value="">All</option>
              {(sources.state === 'ready' ? sources.value : []).map(({ sourceSessionId, label }) => (
                <option key={sourceSessionId} value={sourceSessionId}>
                  {label}
                </option>
              ))}
            </select>
          )}
        </Field>
      </div>
      {error !== null && <Failed error={error} onRetry={retry} />}
      {rows.length > 0 ? (
        <>
          <WindowList
            label="Studies"
            count={rows.length}
            rowHeight={isNarrow ? narrowRowHeight : rowHeight}
            onSight={(_first, end) => {
              if (end >= rows.length) more();
            }}
            row={(at, tabIndex) => <StudyRow row={rows[at]} tabIndex={tabIndex} />}
          />
          <p class="quiet">
            {counted(rows.length, 'study', 'studies')}
            {isWhole ? '' : ' so far; scroll for more'}
          </p>
        </>
      ) : isAsking ? (
        <Loading what="the studies" />
      ) : (
        error === null && <NoStudies isFiltered={source !== null || lifecycle !== null} />
      )}
    </div>
  );
}

function StudyRow({ row, tabIndex }: { readonly row: RuntimeRow | undefined; readonly tabIndex: 0 | -1 }) {
  if (row === undefined) return null;
  const { runtimeId, label, range, acceptedAt, reason } = row;
  return (
    <a class="list-link" tabIndex={tabIndex} href={addressOf({ view: 'study', runtimeId, pane: 'evidence' })}>
      <span class="row-main">
        <span class="row-title" title={label ?? undefined} lang={languageOfName(label ?? '')}>
          {label ?? 'A source that was deleted'}
        </span>
        <span class="quiet">
          {rangeCode(range.startMs, range.endMs)} · {moment(acceptedAt)}
          {reason === null || isCanceled(reason) ? '' : ` · ${failureStory(reason, 'study').title}`}
        </span>
      </span>
      <StateBadge key={`${runtimeId} ${row.lastTransitionAt}`} row={row} />
    </a>
  );
}

/** A row that is scrolled past is not asked for. */
const restMs = 250;

/** The state of studies that have ended, by their row. It changes only with a transition of another actor. */
const standings = new Map<string, LibraryStudy>();

/** The state of a study: what its row says, and once the row has rested in sight, what its overview says. */
function StateBadge({ row }: { readonly row: RuntimeRow }) {
  const host = useHost();
  const { runtimeId, range, lifecycle, reason, acceptedAt, terminal } = row;
  const base: LibraryStudy = { runtimeId, range, lifecycle, reason, acceptedAt, standing: null, fault: null };
  const [study, setStudy] = useState(standings.get(runtimeId) ?? base);
  const [moves, setMoves] = useState(0);
  useAfterMoves(
    host,
    () => setMoves(moves + 1),
    (moved) =>
      moved.runtimeId === runtimeId && (moved.kind === 'publish-review' || moved.kind === 'caption-production'),
  );
  useEffect(() => {
    if (!terminal) return setStudy(base);
    let isGone = false;
    const known = (found: LibraryStudy) => {
      standings.set(runtimeId, found);
      if (!isGone) setStudy(found);
    };
    const timer = setTimeout(() => {
      host.overview(runtimeId).then(
        ({ situation, captions: { state, text, causes }, journalHead }) =>
          known({ ...base, standing: { situation, captions: { state, text, causes }, journalHead } }),
        (error: unknown) => known({ ...base, fault: error instanceof HostError ? error.code : null }),
      );
    }, restMs);
    return () => {
      isGone = true;
      clearTimeout(timer);
    };
  }, [host, runtimeId, lifecycle, moves]);
  const { tone, words } = studyState(study);
  return <Badge state="" words={words} tone={tone} />;
}

const NoStudies = ({ isFiltered }: { readonly isFiltered: boolean }) =>
  isFiltered ? (
    <Notice kind="empty" title="No study fits">
      <a href="#/studies">Show all studies</a>
    </Notice>
  ) : (
    <Notice kind="empty" title="There is no study yet">
      <a href="#/sources">Choose a source to study</a>
    </Notice>
  );
