import { useState } from 'preact/hooks';
import { useHost } from '../host/use-host.ts';
import { DropFile } from '../parts/drop-file.tsx';
import { Agree, TextField } from '../parts/field.tsx';
import { fileLabel } from '../words/file-label.ts';
import { size } from '../words/sizes.ts';
import { uploadFile } from './uploads.ts';

const withoutExtension = (name: string): string => name.replace(/\.[^.]+$/, '');

/** Takes a file with the words that the person answers for. */
export function AddFile() {
  const host = useHost();
  /** Another turn begins with an empty chooser. */
  const [turn, setTurn] = useState(0);
  const [file, setFile] = useState<File | null>(null);
  const [label, setLabel] = useState('');
  const [rightsHolder, setRightsHolder] = useState('');
  const [isAttested, setAttested] = useState(false);
  const choose = (chosen: File) => {
    setFile(chosen);
    setLabel(fileLabel(withoutExtension(chosen.name)));
    setAttested(false);
  };
  const isReady = file !== null && label.trim() !== '' && rightsHolder.trim() !== '' && isAttested;
  const begin = (event: Event) => {
    event.preventDefault();
    if (!isReady) return;
    uploadFile(host, file, { label: label.trim(), rightsHolder: rightsHolder.trim() });
    setFile(null);
    setAttested(false);
    setTurn(turn + 1);
  };
  return (
    <form class="panel" aria-label="Add a file" onSubmit={begin}>
      <DropFile key={turn} words="take" accept="video/*,audio/*,.mkv" onFile={choose} />
      {file !== null && (
        <>
          <p>
            <strong>
              <bdi>{file.name}</bdi>
            </strong>{' '}
            <span class="quiet">{size(file.size)}</span>
          </p>
          <TextField label="Label" hint="What the source is called in every list." value={label} onValue={setLabel} />
          <TextField label="Rights holder" value={rightsHolder} onValue={setRightsHolder} />
          <Agree isTicked={isAttested} onTick={setAttested}>
            I attest that I own this file or may have it processed on this machine. The bytes stay here.
          </Agree>
          <button type="submit" class="primary" disabled={!isReady}>
            Ingest the file
          </button>
          {!isReady && <p class="hint">A label, a rights holder and the attestation are needed.</p>}
        </>
      )}
    </form>
  );
}
