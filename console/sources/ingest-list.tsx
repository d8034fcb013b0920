import type { OwnedIngestRow, VideohostIngestRow } from '../../contract/ingest.ts';
import type { StreamedTransition } from '../../contract/lifecycles/actors.ts';
import type { WorkProgress } from '../../contract/operation.ts';
import { useHost } from '../host/session.ts';
import { useAfterMoves, useIngestProgress } from '../host/streams.ts';
import { useAction, useEvery, useRemote, useStore } from '../host/use-remote.ts';
import { Badge } from '../parts/facts.tsx';
import { Failed, failureWords } from '../parts/notice.tsx';
import { StepProgress } from '../parts/step-progress.tsx';
import { moment, rangeCode, size } from '../words/numbers.ts';
import { type FileUpload, uploads, videoIngests } from './uploads.ts';

type Row = OwnedIngestRow | VideohostIngestRow;

const shownRows = 8;
/** Where the stream is cut. */
const everyMs = 10_000;
/** Whether a transition is one of an ingest of either kind. */
export const isOfIngest = ({ kind }: StreamedTransition): boolean => kind.endsWith('-ingest');

const isOpen = ({ status }: Row): boolean => status !== 'registered' && status !== 'failed';
const byTime = (a: Row, b: Row): number => b.openedAt.localeCompare(a.openedAt);

/** The uploads of this page, and the newest ingests of the host. */
export function IngestList() {
  const host = useHost();
  const running = useStore(uploads, (context) => context.running);
  const { remote, reload, poll } = useRemote(async () => {
    const [owned, videos] = await Promise.all([host.ownedIngests({ limit: shownRows }), videoIngests(host, shownRows)]);
    return [...owned.ingests, ...videos].sort(byTime).slice(0, shownRows);
  }, [host]);
  useAfterMoves(host, reload, isOfIngest);
  useEvery(everyMs, remote.state !== 'ready' || remote.value.some(isOpen), poll);
  // An upload of this page has a line of its own, with its button.
  const isOwn = ({ ingestId }: Row): boolean => running.some((upload) => upload.ingestId === ingestId);
  const open = remote.state === 'ready' ? remote.value.filter((row) => isOpen(row) && !isOwn(row)) : [];
  const measured = useIngestProgress(
    host,
    open.map(({ ingestId }) => ingestId),
  );
  // What has become a source is in the library.
  const shown =
    remote.state === 'ready' ? remote.value.filter((row) => row.status !== 'registered' && !isOwn(row)) : [];
  if (remote.state === 'failed') return <Failed error={remote.error} onRetry={reload} />;
  if (shown.length + running.length === 0) return null;
  return (
    <section aria-labelledby="ingest-list">
      <h2 id="ingest-list">Being added</h2>
      {running.map((upload) => (
        <UploadRow key={upload.id} upload={upload} />
      ))}
      {shown.length > 0 && (
        <ul class="rows tight">
          {shown.map((row) => (
            <IngestRow
              key={row.ingestId}
              row={row}
              progress={isOpen(row) ? (measured.get(row.ingestId) ?? null) : null}
              onChange={reload}
            />
          ))}
        </ul>
      )}
    </section>
  );
}

function UploadRow({ upload }: { readonly upload: FileUpload }) {
  const { id, label, state, sent, total, progress, error, stop } = upload;
  const dismiss = () => uploads.send({ type: 'ended', id });
  return (
    <div class="row">
      <div class="row-main">
        <p class="row-title">{label}</p>
        {state === 'waiting' && <p class="quiet">{size(total)}, sent after the file before it</p>}
        {state === 'uploading' && progress === null && (
          <>
            <progress max={total} value={sent} aria-label={`Upload of ${label}`} />
            <p class="quiet">
              {size(sent)} of {size(total)}
            </p>
          </>
        )}
        {state !== 'failed' && progress !== null && <StepProgress progress={progress} label={label} isNamed />}
        <div aria-live="polite">{state === 'failed' && <p class="bad-text">{failureWords(error).what}</p>}</div>
      </div>
      <span aria-live="polite">
        <Badge
          state={state === 'waiting' || (state === 'uploading' && progress?.stage === 'queued') ? 'queued' : state}
        />
      </span>
      <button type="button" onClick={state === 'failed' ? dismiss : stop}>
        {state === 'failed' ? 'Dismiss' : 'Stop'}
        <span class="sr"> {label}</span>
      </button>
    </div>
  );
}

const nameOf = (row: Row): string => ('filename' in row ? row.label : row.url);

function Remark({ row }: { readonly row: Row }) {
  return (
    <p class="quiet">
      {'filename' in row ? (
        <>
          <bdi>{row.filename}</bdi>, {size(row.declaredBytes)}
        </>
      ) : (
        rangeCode(row.range.startMs, row.range.endMs)
      )}{' '}
      · {moment(row.openedAt)}
    </p>
  );
}

interface IngestRowProps {
  readonly row: Row;
  readonly progress: WorkProgress | null;
  readonly onChange: () => void;
}

function IngestRow({ row, progress, onChange }: IngestRowProps) {
  const host = useHost();
  const { action, run } = useAction();
  const cancel = () =>
    run(async () => {
      await host.cancelIngest(row.ingestId);
      onChange();
    });
  return (
    <li class="row">
      <div class="row-main">
        <p class="row-title">{nameOf(row)}</p>
        <Remark row={row} />
        {progress !== null && <StepProgress progress={progress} label={nameOf(row)} isNamed />}
        {row.failure !== null && (
          <p class="bad-text">
            {row.failure.message} <span class="mono quiet">{row.failure.code}</span>
          </p>
        )}
        {action.state === 'failed' && <Failed error={action.error} />}
      </div>
      <Badge state={row.status} />
      {isOpen(row) && (
        <button type="button" disabled={action.state === 'busy'} onClick={cancel}>
          Cancel<span class="sr"> {nameOf(row)}</span>
        </button>
      )}
    </li>
  );
}
