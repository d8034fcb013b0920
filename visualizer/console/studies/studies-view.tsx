import { useEffect, useState } from 'preact/hooks';
import type { RuntimesOptions } from '../../../client/studies.ts';
import type { RuntimeRow, Runtimes } from '../../../contract/study/runtimes.ts';
import { addressOf } from '../host/route.ts';
import { useHost } from '../host/use-host.ts';
import { useAfterMoves } from '../host/use-moves.ts';
import { useEvery, useRemote } from '../host/use-remote.ts';
import { Badge } from '../parts/badge.tsx';
import { Field } from '../parts/field.tsx';
import { Failed, Loading, Notice } from '../parts/notice.tsx';
import { WindowList } from '../parts/window-list.tsx';
import { lifecycles, sentence } from '../words/codes.ts';
import { moment, rangeCode } from '../words/time-code.ts';

const pageRows = 100;
const rowHeight = 64;
/** A deletion moves no actor, so the stream does not tell of it. */
const everyMs = 30_000;

interface StudiesViewProps {
  readonly source: string | null;
  readonly lifecycle: string | null;
}

/** The studies of the host, newest first, a page at a time. */
export function StudiesView({ source, lifecycle }: StudiesViewProps) {
  const host = useHost();
  const [rows, setRows] = useState<readonly RuntimeRow[]>([]);
  const [cursor, setCursor] = useState<string | null>(null);
  const [isAsking, setAsking] = useState(true);
  const [error, setError] = useState<unknown>(null);
  const { remote: sources } = useRemote(() => host.sources(), [host]);
  const options = {
    limit: pageRows,
    ...(source !== null && { sourceSessionId: source }),
    ...(lifecycle !== null && { lifecycle: lifecycle as NonNullable<RuntimesOptions['lifecycle']> }),
  };
  const take = (page: Runtimes, before: readonly RuntimeRow[]) => {
    setRows([...before, ...page.runtimes]);
    setCursor(page.nextCursor);
    setError(null);
  };
  const ask = (after: string | null, before: readonly RuntimeRow[]) => {
    setAsking(true);
    host
      .runtimes({ ...options, ...(after !== null && { after }) })
      .then((page) => take(page, before), setError)
      .finally(() => setAsking(false));
  };
  useEffect(() => ask(null, []), [host]);
  // Only the first page moves: the others are older.
  const isFirstPage = rows.length <= pageRows;
  const look = () => {
    if (!isFirstPage) return;
    host.runtimes(options).then(
      (page) => take(page, []),
      () => undefined,
    );
  };
  useAfterMoves(host, look, ({ kind }) => kind === 'runtime');
  useEvery(everyMs, isFirstPage, look);
  const more = (_first: number, end: number) => {
    if (end >= rows.length && cursor !== null && !isAsking) ask(cursor, rows);
  };
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
                  {sentence(words)}
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
      {error !== null && <Failed error={error} onRetry={() => ask(null, [])} />}
      {rows.length > 0 ? (
        <>
          <WindowList
            label="Studies"
            count={rows.length}
            rowHeight={rowHeight}
            onSight={more}
            row={(at) => <StudyRow row={rows[at]} />}
          />
          <p class="quiet">
            {rows.length} shown{cursor === null ? ', these are all' : '; scroll for more'}
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

function StudyRow({ row }: { readonly row: RuntimeRow | undefined }) {
  if (row === undefined) return null;
  const { runtimeId, label, range, lifecycle, acceptedAt, reason } = row;
  return (
    <a class="list-link" href={addressOf({ view: 'study', runtimeId, pane: 'evidence' })}>
      <span class="row-main">
        <span class="row-title">{label ?? 'A source that is gone'}</span>
        <span class="quiet">
          {rangeCode(range.startMs, range.endMs)} · {moment(acceptedAt)}
          {reason === null ? '' : ` · ${reason.message}`}
        </span>
      </span>
      <Badge state={lifecycle} />
    </a>
  );
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
