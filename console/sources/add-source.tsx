import { useEffect, useRef, useState } from 'preact/hooks';
import { useHost } from '../host/session.ts';
import { useAction, useStore } from '../host/use-remote.ts';
import { DropFile, droppedFiles, fileLabel } from '../parts/drop-file.tsx';
import { Agree, TextField } from '../parts/field.tsx';
import { Failed, Notice } from '../parts/notice.tsx';
import { counted, parsedTimeCode, size } from '../words/numbers.ts';
import { sentence } from '../words/sentence.ts';
import { uploadFile, uploads, videoHosts } from './uploads.ts';

const withoutExtension = (name: string): string => name.replace(/\.[^.]+$/, '');

/** Takes files, one after another, each with the words that the person answers for. */
export function AddFile({ isLarge = false }: { readonly isLarge?: boolean }) {
  const host = useHost();
  /** Another turn begins with an empty chooser. */
  const [turn, setTurn] = useState(0);
  const [files, setFiles] = useState<readonly File[]>([]);
  const [label, setLabel] = useState('');
  const [rightsHolder, setRightsHolder] = useState('');
  const [isAttested, setAttested] = useState(false);
  const [file = null, ...others] = files;
  useEffect(() => {
    setLabel(file === null ? '' : fileLabel(withoutExtension(file.name)));
    setAttested(false);
  }, [file]);
  const add = (more: readonly File[]) => setFiles((before) => [...before, ...more]);
  useEffect(() => {
    // Dropped where no view took them, and led here.
    add(droppedFiles.getSnapshot().context.waiting);
    droppedFiles.send({ type: 'taken' });
  }, []);
  const left = useRef(files);
  left.current = files;
  // The view may change while files wait for their words: the next form takes them over.
  useEffect(
    () => () => {
      if (left.current.length > 0) droppedFiles.send({ type: 'left', files: left.current });
    },
    [],
  );
  const next = () => {
    left.current = others;
    setFiles(others);
    setTurn(turn + 1);
  };
  const isEmpty = file?.size === 0;
  const isReady = file !== null && !isEmpty && label.trim() !== '' && rightsHolder.trim() !== '' && isAttested;
  const begin = (event: Event) => {
    event.preventDefault();
    if (!isReady) return;
    // Before the upload, which may change the view.
    next();
    // The button is gone with the form: the keyboard goes on in the view.
    if (others.length === 0) document.getElementById('view')?.focus({ preventScroll: true });
    uploadFile(host, file, { label: label.trim(), rightsHolder: rightsHolder.trim() });
  };
  return (
    <form class="panel" aria-label="Add a file" onSubmit={begin}>
      {(!isLarge || file === null) && (
        <DropFile key={turn} words="take" accept="video/*,audio/*,.mkv" isMany isLarge={isLarge} onFiles={add} />
      )}
      {file !== null && (
        <>
          <p>
            <strong>
              <bdi>{file.name}</bdi>
            </strong>{' '}
            <span class="quiet">{size(file.size)}</span>
          </p>
          {others.length > 0 && (
            <p class="hint" role="status">
              Then {counted(others.length, 'more file')}: <bdi>{others.map(({ name }) => name).join(', ')}</bdi>
            </p>
          )}
          <TextField label="Label" hint="Its name in every list." value={label} onValue={setLabel} />
          <TextField label="Rights holder" value={rightsHolder} onValue={setRightsHolder} />
          <Agree isTicked={isAttested} onTick={setAttested}>
            I attest that I own this file or may have it processed on this machine.
          </Agree>
          <div class="actions">
            <button type="submit" class="primary" disabled={!isReady}>
              Add the file
            </button>
            <button type="button" onClick={next}>
              Skip
            </button>
          </div>
          {isEmpty ? (
            <p class="bad-text" role="alert">
              The file is empty. Nothing was added.
            </p>
          ) : (
            !isReady && <p class="hint">A label, a rights holder and the attestation are needed.</p>
          )}
        </>
      )}
    </form>
  );
}

/** Takes a range of a video from its address, where this host can fetch one. */
export function AddVideo() {
  const whyOff = useStore(videoHosts, (context) => context.whyOff);
  return whyOff === null ? (
    <AddVideoForm />
  ) : (
    <Notice kind="unavailable" title="This host cannot fetch videos">
      {sentence(whyOff)}.
    </Notice>
  );
}

function AddVideoForm() {
  const host = useHost();
  const { action, run } = useAction();
  const [url, setUrl] = useState('');
  const [start, setStart] = useState('0:00');
  const [end, setEnd] = useState('0:30');
  const [isConfirmed, setConfirmed] = useState(false);
  const [startMs, endMs] = [parsedTimeCode(start), parsedTimeCode(end)];
  const isRange = startMs !== null && endMs !== null && startMs < endMs;
  const isReady = url.trim() !== '' && isRange && isConfirmed;
  const begin = (event: Event) => {
    event.preventDefault();
    if (!isReady) return;
    const request = { url: url.trim(), startMs, endMs, localProcessingConfirmed: true } as const;
    run(async () => {
      // It is in the list of ingests from its first state on.
      await host.ingestVideo(request, { onProgress: () => uploads.send({ type: 'ended', id: 0 }) });
      uploads.send({ type: 'ended', id: 0 });
      setUrl('');
      setConfirmed(false);
    });
  };
  return (
    <form class="stack" aria-label="Add a range of a video" onSubmit={begin}>
      <TextField label="Address" value={url} onValue={setUrl} placeholder="https://" isMono />
      <div class="pair">
        <TextField label="From" value={start} onValue={setStart} isMono />
        <TextField label="To" value={end} onValue={setEnd} isMono />
      </div>
      {!isRange && <p class="hint">Give times such as 1:02 or 1:02:03.500, the end after the start.</p>}
      <Agree isTicked={isConfirmed} onTick={setConfirmed}>
        I may have this range fetched and processed on this machine. Nothing is published.
      </Agree>
      <button type="submit" disabled={!isReady || action.state === 'busy'}>
        {action.state === 'busy' ? 'Fetching the range' : 'Fetch the range'}
      </button>
      {action.state === 'failed' && <Failed error={action.error} />}
    </form>
  );
}
