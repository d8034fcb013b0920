import { useEffect, useRef, useState } from 'preact/hooks';
import { useHost } from '../host/use-host.ts';
import { Agree, TextField } from '../parts/field.tsx';
import { size } from '../words/sizes.ts';
import { uploadFile } from './uploads.ts';

const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') ?? false;

/** A file that somebody drops anywhere on the page, and whether one is held over it. */
function useDroppedFile(onFile: (file: File) => void): boolean {
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    const over = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(true);
    };
    const leave = (event: DragEvent) => {
      if (event.relatedTarget === null) setOver(false);
    };
    const drop = (event: DragEvent) => {
      const [file] = event.dataTransfer?.files ?? [];
      setOver(false);
      if (file === undefined) return;
      event.preventDefault();
      onFile(file);
    };
    addEventListener('dragover', over);
    addEventListener('dragleave', leave);
    addEventListener('drop', drop);
    return () => {
      removeEventListener('dragover', over);
      removeEventListener('dragleave', leave);
      removeEventListener('drop', drop);
    };
  }, []);
  return isOver;
}

const withoutExtension = (name: string): string => name.replace(/\.[^.]+$/, '');

/** Takes a file with the words that the person answers for. */
export function AddFile() {
  const host = useHost();
  const chooser = useRef<HTMLInputElement>(null);
  const [file, setFile] = useState<File | null>(null);
  const [label, setLabel] = useState('');
  const [rightsHolder, setRightsHolder] = useState('');
  const [isAttested, setAttested] = useState(false);
  const choose = (chosen: File) => {
    setFile(chosen);
    setLabel(withoutExtension(chosen.name).slice(0, 160));
    setAttested(false);
  };
  const isOver = useDroppedFile(choose);
  const isReady = file !== null && label.trim() !== '' && rightsHolder.trim() !== '' && isAttested;
  const begin = (event: Event) => {
    event.preventDefault();
    if (!isReady) return;
    uploadFile(host, file, { label: label.trim(), rightsHolder: rightsHolder.trim() });
    setFile(null);
    setAttested(false);
    if (chooser.current !== null) chooser.current.value = '';
  };
  return (
    <form class="panel" aria-label="Add a file" onSubmit={begin}>
      <div class="drop" data-over={isOver}>
        <label for="chosen-file">{isOver ? 'Let go to take this file' : 'Drop a file anywhere, or choose one'}</label>
        <input
          ref={chooser}
          id="chosen-file"
          type="file"
          accept="video/*,audio/*,.mkv"
          onChange={({ currentTarget }) => {
            const [chosen] = currentTarget.files ?? [];
            if (chosen !== undefined) choose(chosen);
          }}
        />
      </div>
      {file !== null && (
        <>
          <p>
            <strong>{file.name}</strong> <span class="quiet">{size(file.size)}</span>
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
