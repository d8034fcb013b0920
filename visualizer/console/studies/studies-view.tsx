import type { RuntimesOptions } from '../../../client/studies.ts';
import type { RuntimeRow } from '../../../contract/study/status.ts';
import { addressOf } from '../host/route.ts';
import { useHost } from '../host/use-host.ts';
import { useRemote } from '../host/use-remote.ts';
import { Badge } from '../parts/badge.tsx';
import { Field } from '../parts/field.tsx';
import { Failed, Loading, Notice } from '../parts/notice.tsx';
import { WindowList } from '../parts/window-list.tsx';
import { lifecycles, sentence } from '../words/codes.ts';
import { moment, rangeCode } from '../words/time-code.ts';
import { useStudyPages } from './use-study-pages.ts';

const rowHeight = 64;
/** On a narrow page the words of a row take two lines: equal ranges of one source differ by their time alone. The style has the same. */
const narrowRowHeight = 84;
const isNarrow = (): boolean => matchMedia('(max-width: 520px)').matches;

interface StudiesViewProps {
  readonly source: string | null;
  readonly lifecycle: string | null;
}

/** The studies of the host, newest first, a page at a time. */
export function StudiesView({ source, lifecycle }: StudiesViewProps) {
  const host = useHost();
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
      {error !== null && <Failed error={error} onRetry={retry} />}
      {rows.length > 0 ? (
        <>
          <WindowList
            label="Studies"
            count={rows.length}
            rowHeight={isNarrow() ? narrowRowHeight : rowHeight}
            onSight={(_first, end) => {
              if (end >= rows.length) more();
            }}
            row={(at) => <StudyRow row={rows[at]} />}
          />
          <p class="quiet">
            {rows.length} shown{isWhole ? ', these are all' : '; scroll for more'}
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
    <a class="list-link study-row" href={addressOf({ view: 'study', runtimeId, pane: 'evidence' })}>
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
