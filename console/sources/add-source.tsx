import { useEffect, useRef, useState } from 'preact/hooks';
import { useHost } from '../host/session.ts';
import { useAction, useStore } from '../host/use-remote.ts';
import { DropFile, droppedFiles, fileLabel } from '../parts/drop-file.tsx';
import { Agree, TextField } from '../parts/field.tsx';
import { Failed, Notice } from '../parts/notice.tsx';
import { parsedTimeCode, size } from '../words/numbers.ts';
import { sentence } from '../words/sentence.ts';
import { uploadFile, uploads, videoHosts } from './uploads.ts';

const withoutExtension = (name: string): string => name.replace(/\.[^.]+$/, '');

interface NamedFile {
  readonly file: File;
  /** Its name in the library. */
  readonly label: string;
}

const named = (file: File): NamedFile => ({ file, label: fileLabel(withoutExtension(file.name)) });

/** Takes files with the words that the person answers for, once for all of them. */
export function AddFile({ isLarge = false }: { readonly isLarge?: boolean }) {
  const host = useHost();
  const [files, setFiles] = useState<readonly NamedFile[]>([]);
  const [rightsHolder, setRightsHolder] = useState('');
  const [isAttested, setAttested] = useState(false);
  const left = useRef(files);
  const change = (next: readonly NamedFile[]) => {
    left.current = next;
    setFiles(next);
    if (next.length === 0) setAttested(false);
  };
  const add = (more: readonly File[]) => change([...left.current, ...more.map(named)]);
  useEffect(() => {
    // Dropped where no view took them, and led here.
    add(droppedFiles.getSnapshot().context.waiting);
    droppedFiles.send({ type: 'taken' });
    // The view may change while files wait for their words: the next form takes them over.
    return () => {
      const waiting = left.current.map(({ file }) => file);
      if (waiting.length > 0) droppedFiles.send({ type: 'left', files: waiting });
    };
  }, []);
  const whole = files.filter(({ file }) => file.size > 0);
  const isReady =
    whole.length > 0 && whole.every(({ label }) => label.trim() !== '') && rightsHolder.trim() !== '' && isAttested;
  const begin = (event: Event) => {
    event.preventDefault();
    if (!isReady) return;
    // Before the upload, which may change the view.
    change([]);
    // The button is gone with the form: the keyboard goes on in the view.
    document.getElementById('view')?.focus({ preventScroll: true });
    for (const { file, label } of whole) {
      uploadFile(host, file, { label: label.trim(), rightsHolder: rightsHolder.trim() });
    }
  };
  const these = whole.length < 2 ? 'the file' : `all ${whole.length} files`;
  return (
    <form class="panel" aria-label="Add a file" onSubmit={begin}>
      {(!isLarge || files.length === 0) && (
        <DropFile words="take" accept="video/*,audio/*,.mkv" isMany isLarge={isLarge} onFiles={add} />
      )}
      {files.map((each) => (
        <AddedFile
          key={`${each.file.name} ${each.file.size} ${each.file.lastModified}`}
          named={each}
          onLabel={(label) => change(files.map((other) => (other === each ? { ...each, label } : other)))}
          onDrop={() => change(files.filter((other) => other !== each))}
        />
      ))}
      {whole.length > 0 && (
        <>
          <TextField
            label="Who owns the rights?"
            hint="A name, for example yours."
            value={rightsHolder}
            onValue={setRightsHolder}
          />
          <Agree isTicked={isAttested} onTick={setAttested}>
            {whole.length < 2
              ? 'I own this file, or may have it processed on this computer.'
              : `I own these ${whole.length} files, or may have them processed on this computer.`}
          </Agree>
          <div class="actions">
            <button type="submit" class="primary" disabled={!isReady}>
              Add {these}
            </button>
          </div>
          {!isReady && <p class="hint">Needed: a name for each file, who owns the rights, and the tick.</p>}
        </>
      )}
    </form>
  );
}

interface AddedFileProps {
  readonly named: NamedFile;
  readonly onLabel: (label: string) => void;
  readonly onDrop: () => void;
}

/** A file before it is sent: its name in the library, and the way out of it. */
const AddedFile = ({ named: { file, label }, onLabel, onDrop }: AddedFileProps) => (
  <div class="stack">
    <p>
      <strong>
        <bdi>{file.name}</bdi>
      </strong>{' '}
      <span class="quiet">{size(file.size)}</span>{' '}
      <button type="button" class="link" onClick={onDrop}>
        Don’t add this file<span class="sr">: {file.name}</span>
      </button>
    </p>
    {file.size === 0 ? (
      <p class="bad-text" role="alert">
        The file is empty.
      </p>
    ) : (
      <TextField label="Name in the library" value={label} onValue={onLabel} />
    )}
  </div>
);

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
