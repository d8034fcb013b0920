import { useEffect, useRef, useState } from 'preact/hooks';
import type { ActorsOptions } from '../../../client/lifecycles.ts';
import type { ActorKind, ListedActor } from '../../../contract/lifecycles/actors.ts';
import { addressOf } from '../host/route.ts';
import { useHost } from '../host/use-host.ts';
import { useAfterMoves } from '../host/use-moves.ts';
import { useEvery } from '../host/use-remote.ts';
import { Failed, Loading, Notice } from '../parts/notice.tsx';
import { WindowList } from '../parts/window-list.tsx';
import { sentence } from '../words/codes.ts';
import { moment } from '../words/time-code.ts';
import { ActorBadge, againWords } from './actor/actor-head.tsx';
import { kindWords } from './words.ts';

const pageRows = 100;
const rowHeight = 60;
/** Beside the stream, for a host that refuses it. */
const everyMs = 15_000;

interface ActorListProps {
  readonly kind: ActorKind | null;
  readonly state: string | null;
}

/** All actors of the host, newest first, a page at a time. */
export function ActorList({ kind, state }: ActorListProps) {
  const host = useHost();
  const [rows, setRows] = useState<readonly ListedActor[]>([]);
  const [cursor, setCursor] = useState<string | null>(null);
  const [isAsking, setAsking] = useState(true);
  const [error, setError] = useState<unknown>(null);
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
  const isShort = cursor !== null && rows.length < pageRows / 2;
  useEffect(() => {
    // A page of a filtered list may have no rows while there are further pages.
    if (isShort && !isAsking && cursor !== null) void ask(cursor, rows);
  }, [isShort, cursor, isAsking]);
  const more = (_first: number, end: number) => {
    if (end >= rows.length && cursor !== null && !isAsking) void ask(cursor, rows);
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
        count={rows.length}
        rowHeight={rowHeight}
        onSight={more}
        row={(at) => <ActorRow row={rows[at]} />}
      />
      <p class="quiet">
        {rows.length} shown{cursor === null ? ', these are all' : '; scroll for more'}
      </p>
    </>
  );
}

function ActorRow({ row }: { readonly row: ListedActor | undefined }) {
  if (row === undefined) return null;
  const again = againWords(row);
  return (
    <a class="list-link" href={addressOf({ view: 'actor', actorId: row.actorId, besideId: null })}>
      <span class="row-main">
        <span class="row-title">{sentence(kindWords[row.kind])}</span>
        <span class="quiet">
          {moment(row.updatedAt)}
          {again === '' ? '' : ` · ${again}`} · <span class="mono">{row.actorId.replace(/^.*:(.{8}).*$/, '$1')}</span>
        </span>
      </span>
      <ActorBadge row={row} />
    </a>
  );
}
