import { IngestFailed } from '../../client/host-error.ts';
import type { OwnedIngestRow, VideohostIngestRow } from '../../contract/ingest.ts';
import type { StreamedTransition } from '../../contract/lifecycles/actors.ts';
import type { WorkProgress } from '../../contract/operation.ts';
import { useHost } from '../host/session.ts';
import { useAfterMoves, useIngestProgress } from '../host/streams.ts';
import { useAction, useEvery, useRemote, useStore } from '../host/use-remote.ts';
import { Badge } from '../parts/facts.tsx';
import { Failed, failureWords, StoryText } from '../parts/notice.tsx';
import { StepProgress } from '../parts/step-progress.tsx';
import { narrowPage, useMedia } from '../parts/window-list.tsx';
import { type FailureStory, failureStory } from '../words/failures.ts';
import { counted, moment, rangeCode, size } from '../words/numbers.ts';
import { sentence } from '../words/sentence.ts';
import { type FileUpload, type KnownFile, uploads, videoIngests } from './uploads.ts';

type Row = OwnedIngestRow | VideohostIngestRow;

const shownRows = 8;
/** The interval of requests once the stream has broken. */
const everyMs = 10_000;
/** True if a transition is one of an ingest of either kind. */
export const isOfIngest = ({ kind }: StreamedTransition): boolean => kind.endsWith('-ingest');

const isOpen = ({ status }: Row): boolean => status !== 'registered' && status !== 'failed';
const byTime = (a: Row, b: Row): number => b.openedAt.localeCompare(a.openedAt);

/** The uploads of this page, and the newest ingests of the host. */
export function IngestList() {
  const host = useHost();
  const running = useStore(uploads, (context) => context.running);
  const dismissed = useStore(uploads, (context) => context.dismissed);
  const known = useStore(uploads, (context) => context.known);
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
  // A finished ingest is in the library, as its source.
  const failed =
    remote.state === 'ready'
      ? remote.value.filter((row) => isFreshFailure(row) && !isOwn(row) && !dismissed.includes(row.ingestId))
      : [];
  const lost = running.filter(({ state }) => state === 'failed');
  const going = running.filter(({ state }) => state !== 'failed');
  if (remote.state === 'failed') return <Failed error={remote.error} onRetry={reload} />;
  return (
    <>
      {going.length + open.length > 0 && (
        <section aria-labelledby="ingest-list">
          <h2 id="ingest-list">Being added</h2>
          <ul class="rows tight">
            {going.map((upload) => (
              <UploadRow key={upload.id} upload={upload} />
            ))}
            {open.map((row) => (
              <IngestRow key={row.ingestId} row={row} progress={measured.get(row.ingestId) ?? null} onChange={reload} />
            ))}
          </ul>
        </section>
      )}
      {known.length > 0 && (
        <section aria-labelledby="files-known">
          <h2 id="files-known">Added before</h2>
          <ul class="rows tight">
            {known.map((file) => (
              <KnownFileRow key={file.sourceSessionId} file={file} />
            ))}
          </ul>
        </section>
      )}
      <Failures of={failuresOf(failed, lost)} />
    </>
  );
}

/** A file that is a source already: it keeps its label unless a person chooses the new one. */
function KnownFileRow({ file }: { readonly file: KnownFile }) {
  const host = useHost();
  const { action, run } = useAction();
  const { sourceSessionId, label, given } = file;
  const rename = () =>
    run(async () => {
      await host.library.rename(sourceSessionId, given);
      uploads.send({ type: 'labeled', file });
    });
  return (
    <li class="row">
      <div class="row-main" role="status">
        <p>
          You added this file before as “<bdi>{label}</bdi>”.
        </p>
        {action.state === 'failed' && <Failed error={action.error} />}
      </div>
      <button type="button" disabled={action.state === 'busy'} onClick={rename}>
        Rename it to “{given}”
      </button>
      <button type="button" onClick={() => uploads.send({ type: 'labeled', file })}>
        Keep the name
      </button>
    </li>
  );
}

/** A failure is in sight for a day; all of them stay in the list of lifecycles. */
const freshMs = 24 * 3_600_000;
const isFreshFailure = ({ status, updatedAt }: Row): boolean =>
  status === 'failed' && Date.now() - Date.parse(updatedAt) < freshMs;

/** A file or a video that was not added, with all attempts at it. */
interface Failure {
  readonly name: string;
  readonly story: FailureStory;
  /** The newest ingest that the host keeps of it; null for an upload of this page that reached none. */
  readonly row: Row | null;
  /** True if it failed while this page is open. */
  readonly isOfPage: boolean;
  readonly dismissals: readonly (() => void)[];
}

/** The story of an upload of this page that ended without a source. */
function lostStory({ error }: FileUpload): FailureStory {
  if (error instanceof IngestFailed) return failureStory({ code: error.code, message: error.message }, 'file');
  const { what, hint, code } = failureWords(error);
  const story = failureStory({ code: code ?? '', message: what }, 'file');
  return hint === null ? story : { ...story, remedy: `${sentence(hint)}.` };
}

/** Files and videos that were not added, the newest first: attempts at the same one are one entry. */
export function failuresOf(rows: readonly Row[], lost: readonly FileUpload[]): readonly Failure[] {
  const dismissed = (ingestId: string) => () => uploads.send({ type: 'dismissed', ingestId });
  const all: readonly (Omit<Failure, 'dismissals'> & { readonly key: string; readonly dismiss: () => void })[] = [
    ...lost.toReversed().map((upload) => ({
      key: `${upload.label} ${upload.total}`,
      name: upload.label,
      story: lostStory(upload),
      row: null,
      isOfPage: true,
      dismiss:
        upload.ingestId === null ? () => uploads.send({ type: 'ended', id: upload.id }) : dismissed(upload.ingestId),
    })),
    ...rows.map((row) => ({
      key:
        'filename' in row ? `${row.label} ${row.declaredBytes}` : `${row.url} ${row.range.startMs} ${row.range.endMs}`,
      name: nameOf(row),
      story: failureStory(row.failure ?? { code: row.status, message: '' }, 'filename' in row ? 'file' : 'video'),
      row,
      isOfPage: false,
      dismiss: dismissed(row.ingestId),
    })),
  ];
  const groups = new Map<string, Failure>();
  for (const { key, dismiss, ...failure } of all) {
    const newest = groups.get(key) ?? { ...failure, dismissals: [] };
    groups.set(key, { ...newest, row: newest.row ?? failure.row, dismissals: [...newest.dismissals, dismiss] });
  }
  return [...groups.values()];
}

/** Files and videos that were not added. A narrow page folds older ones to one line; the newest is open on a wide one. */
function Failures({ of: failures }: { readonly of: readonly Failure[] }) {
  const isNarrow = useMedia(narrowPage);
  const [first] = failures;
  if (first === undefined) return null;
  return (
    <section aria-label="Could not be added">
      <details class="failures" open={!isNarrow || first.isOfPage}>
        <summary>
          <h2>Could not be added</h2> <span class="quiet">{counted(failures.length, 'file')}</span>
        </summary>
        <ul class="plain stack">
          {failures.map((failure) => (
            <FailureDetails
              key={`${failure.name} ${failure.story.code}`}
              failure={failure}
              isOpen={failure === first}
            />
          ))}
        </ul>
      </details>
      {first.isOfPage && (
        <p class="sr" role="alert">
          {first.name} could not be added: {first.story.title}
        </p>
      )}
    </section>
  );
}

function FailureDetails({ failure, isOpen }: { readonly failure: Failure; readonly isOpen: boolean }) {
  const { name, story, row, dismissals } = failure;
  const dismiss = () => {
    for (const each of dismissals) each();
    // The button is gone with its failure, so the keyboard goes on in the view.
    document.getElementById('view')?.focus({ preventScroll: true });
  };
  return (
    <li>
      <details class="failed-ingest" open={isOpen}>
        <summary>
          <strong>
            <bdi>{name}</bdi>
          </strong>{' '}
          <Badge state={story.isCanceled ? 'interrupted' : 'failed'} words={story.title} />
        </summary>
        {dismissals.length > 1 && <p class="quiet">{dismissals.length} attempts; the newest:</p>}
        {row !== null && <Remark row={row} />}
        <StoryText story={story} />
        <button type="button" onClick={dismiss}>
          Dismiss<span class="sr"> {name}</span>
        </button>
      </details>
    </li>
  );
}

function UploadRow({ upload }: { readonly upload: FileUpload }) {
  const { label, state, sent, total, progress, stop } = upload;
  return (
    <li class="row">
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
        {progress !== null && <StepProgress progress={progress} label={label} isNamed />}
      </div>
      <span aria-live="polite">
        <Badge
          state={state === 'waiting' || (state === 'uploading' && progress?.stage === 'queued') ? 'queued' : state}
        />
      </span>
      <button type="button" onClick={stop}>
        Stop<span class="sr"> {label}</span>
      </button>
    </li>
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
        {action.state === 'failed' && <Failed error={action.error} />}
      </div>
      <Badge state={row.status} />
      <button type="button" disabled={action.state === 'busy'} onClick={cancel}>
        Cancel<span class="sr"> {nameOf(row)}</span>
      </button>
    </li>
  );
}
