import { useEffect, useRef, useState } from 'preact/hooks';
import type { ActorsOptions } from '../../../client/lifecycles.ts';
import { addressOf } from '../../../console/host/route.ts';
import { useHost } from '../../../console/host/session.ts';
import { useAfterMoves } from '../../../console/host/streams.ts';
import { useEvery } from '../../../console/host/use-remote.ts';
import { Badge, Identity } from '../../../console/parts/facts.tsx';
import { Failed, Loading, Notice } from '../../../console/parts/notice.tsx';
import { narrowPage, useMedia, WindowList } from '../../../console/parts/window-list.tsx';
import { languageOfName } from '../../../console/words/language-name.ts';
import { moment } from '../../../console/words/numbers.ts';
import type { ActorKind, ListedActor } from '../../../contract/lifecycles/actors.ts';
import { lifecycleAddress } from './route.ts';
import { type ActorFilter, filteredActors, type Subjects, subjectWords, useSubjects } from './subjects.ts';
import { actorTone, actorWords } from './words.ts';

interface ActorHeadProps {
  readonly actorId: string;
  readonly kind: ActorKind | null;
  readonly row: ListedActor | null;
}

/** How often work began again, in words; empty where it never did. */
export function againWords({ restarts, resumes }: Pick<ListedActor, 'restarts' | 'resumes'>): string {
  const words = [
    restarts === 0 ? '' : restarts === 1 ? 'restarted once' : `restarted ${restarts} times`,
    resumes === 0 ? '' : resumes === 1 ? 'resumed once' : `resumed ${resumes} times`,
  ];
  return words.filter(Boolean).join(', ');
}

export const ActorBadge = ({ row }: { readonly row: ListedActor }) => (
  <Badge state={row.phase} tone={actorTone(row)} words={actorWords(row)} />
);

/** The name and the state of an actor, and the link to its work. */
export function ActorHead({ actorId, kind, row }: ActorHeadProps) {
  const host = useHost();
  const subjects = useSubjects(host, row === null ? [] : [row]);
  const again = row === null ? '' : againWords(row);
  const name = kind === null ? 'An actor' : subjectWords(row ?? { actorId, kind, runtimeId: null }, subjects);
  return (
    <div class="study-head">
      <div>
        <h1 title={name} lang={languageOfName(name)}>
          {name}
        </h1>
        <p class="quiet">
          <Identity id={actorId} />
          {row?.startedAt != null && ` · since ${moment(row.startedAt)}`}
          {again !== '' && ` · ${again}`}
        </p>
      </div>
      <div class="study-state" aria-live="polite">
        {row !== null && <ActorBadge row={row} />}
        {row?.runtimeId != null && (
          <>
            <a href={addressOf({ view: 'study', runtimeId: row.runtimeId, pane: 'evidence' })}>Its study</a>
            <a href={lifecycleAddress({ view: 'sequence', runtimeId: row.runtimeId })}>Sequence of all its actors</a>
          </>
        )}
      </div>
    </div>
  );
}

const pageRows = 100;
const rowHeight = 60;
/** On a narrow page a name takes two lines, with the time and the state below it. */
const narrowRowHeight = 104;
/** A filter looks through so many of the newest actors by itself. */
const mostFiltered = 1_000;
/** Beside the stream, for a host that refuses it. */
const everyMs = 15_000;

interface ActorListProps {
  readonly kind: ActorKind | null;
  readonly state: string | null;
  readonly filter: ActorFilter;
}

/** All actors of the host, newest first, a page at a time. */
export function ActorTable({ kind, state, filter }: ActorListProps) {
  const host = useHost();
  const [rows, setRows] = useState<readonly ListedActor[]>([]);
  const [cursor, setCursor] = useState<string | null>(null);
  const [isAsking, setAsking] = useState(true);
  const [error, setError] = useState<unknown>(null);
  const isNarrow = useMedia(narrowPage);
  const options: ActorsOptions = { limit: pageRows, ...(kind !== null && { kind }), ...(state !== null && { state }) };
  // An answer that a later question has overtaken is not shown.
  const turn = useRef(0);
  const read = async (after: string | null, before: readonly ListedActor[]): Promise<void> => {
    turn.current += 1;
    const own = turn.current;
    const settle = (act: () => void) => {
      if (own === turn.current) act();
    };
    await host.lifecycles.actors({ ...options, ...(after !== null && { after }) }).then(
      (page) =>
        settle(() => {
          setRows([...before, ...page.actors]);
          setCursor(page.nextCursor);
          setError(null);
        }),
      (reason: unknown) => settle(() => setError(reason)),
    );
    settle(() => setAsking(false));
  };
  const ask = (after: string | null, before: readonly ListedActor[]): Promise<void> => {
    setAsking(true);
    return read(after, before);
  };
  useEffect(() => void ask(null, []), [host]);
  // Only the first page moves: the others are older.
  const isFirstPage = rows.length <= pageRows;
  // A page that is being asked for is not held up by a look at the first one.
  const look = async () => {
    if (!isAsking) await read(null, []);
  };
  useEvery(everyMs, isFirstPage, look);
  useAfterMoves(
    host,
    () => void look(),
    (moved) => isFirstPage && (kind === null || moved.kind === kind),
  );
  const shown = filteredActors(rows, filter, Date.now());
  const subjects = useSubjects(host, rows);
  // A filter looks through the newest actors alone: the rest of a long list is read as a person scrolls.
  const isShort =
    cursor !== null &&
    (filter === 'all' ? rows.length < pageRows / 2 : shown.length < 20 && rows.length < mostFiltered);
  useEffect(() => {
    // A page of a filtered list may have no rows while there are further pages.
    if (isShort && !isAsking && cursor !== null) void ask(cursor, rows);
  }, [isShort, cursor, isAsking]);
  const more = (_first: number, end: number) => {
    if (end >= shown.length && cursor !== null && !isAsking) void ask(cursor, rows);
  };
  if (error !== null) return <Failed error={error} onRetry={() => void ask(null, [])} />;
  if (rows.length === 0) {
    return isAsking ? (
      <Loading what="the actors" />
    ) : (
      <Notice kind="empty" title={kind === null && state === null ? 'Nothing has happened yet' : 'No actor fits'}>
        {kind === null && state === null ? (
          <a href="#/sources">Add a source or start a study</a>
        ) : (
          <a href="#/lifecycles">Show all actors</a>
        )}
      </Notice>
    );
  }
  return (
    <>
      <WindowList
        label="Actors"
        count={shown.length}
        rowHeight={isNarrow ? narrowRowHeight : rowHeight}
        onSight={more}
        row={(at, tabIndex) => <ActorRow row={shown[at]} subjects={subjects} tabIndex={tabIndex} />}
      />
      <p class="quiet">
        {filter === 'all'
          ? `${rows.length} actors${cursor === null ? '' : '; scroll for more'}`
          : `${shown.length} of the newest ${rows.length} actors`}
      </p>
    </>
  );
}

interface ActorRowProps {
  readonly row: ListedActor | undefined;
  readonly subjects: Subjects;
  readonly tabIndex: 0 | -1;
}

function ActorRow({ row, subjects, tabIndex }: ActorRowProps) {
  if (row === undefined) return null;
  const again = againWords(row);
  const name = subjectWords(row, subjects);
  return (
    <a
      class="list-link"
      tabIndex={tabIndex}
      href={lifecycleAddress({ view: 'actor', actorId: row.actorId, besideId: null, step: null })}
    >
      <span class="row-main">
        <span class="row-title" title={name} lang={languageOfName(name)}>
          {name}
        </span>
        <span class="quiet">
          {moment(row.updatedAt)}
          {again === '' ? '' : ` · ${again}`}
        </span>
      </span>
      <ActorBadge row={row} />
    </a>
  );
}
