import { useEffect, useState } from 'preact/hooks';
import { dropped } from '../host/dropped.ts';
import { useHost } from '../host/use-host.ts';
import { DropFile } from '../parts/drop-file.tsx';
import { Agree, TextField } from '../parts/field.tsx';
import { counted } from '../words/counted.ts';
import { fileLabel } from '../words/file-label.ts';
import { size } from '../words/sizes.ts';
import { uploadFile } from './uploads.ts';

const withoutExtension = (name: string): string => name.replace(/\.[^.]+$/, '');

/** Takes files, one after another, each with the words that the person answers for. */
export function AddFile() {
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
    add(dropped.getSnapshot().context.waiting);
    dropped.send({ type: 'taken' });
  }, []);
  const next = () => {
    setFiles(others);
    setTurn(turn + 1);
  };
  const isReady = file !== null && label.trim() !== '' && rightsHolder.trim() !== '' && isAttested;
  const begin = (event: Event) => {
    event.preventDefault();
    if (!isReady) return;
    uploadFile(host, file, { label: label.trim(), rightsHolder: rightsHolder.trim() });
    next();
  };
  return (
    <form class="panel" aria-label="Add a file" onSubmit={begin}>
      <DropFile key={turn} words="take" accept="video/*,audio/*,.mkv" isMany onFiles={add} />
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
          <TextField label="Label" hint="What the source is called in every list." value={label} onValue={setLabel} />
          <TextField label="Rights holder" value={rightsHolder} onValue={setRightsHolder} />
          <Agree isTicked={isAttested} onTick={setAttested}>
            I attest that I own this file or may have it processed on this machine.
          </Agree>
          <div class="deeds">
            <button type="submit" class="primary" disabled={!isReady}>
              Ingest the file
            </button>
            <button type="button" onClick={next}>
              Leave it out
            </button>
          </div>
          {!isReady && <p class="hint">A label, a rights holder and the attestation are needed.</p>}
        </>
      )}
    </form>
  );
}
