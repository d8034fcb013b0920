import { useState } from 'preact/hooks';
import { useDeed } from '../host/use-deed.ts';
import { useHost } from '../host/use-host.ts';
import { Agree, Field, TextField } from '../parts/field.tsx';
import { Failed } from '../parts/notice.tsx';
import { fileLabel } from '../words/file-label.ts';

interface AttachSubtitlesProps {
  readonly sourceSessionId: string;
  /** Called when the source has a new revision with the file. */
  readonly onAttached: () => void;
}

/** Takes a subtitle file for a source, with the words that the person answers for. */
export function AttachSubtitles({ sourceSessionId, onAttached }: AttachSubtitlesProps) {
  const host = useHost();
  const { deed, run } = useDeed();
  const [file, setFile] = useState<File | null>(null);
  const [label, setLabel] = useState('');
  const [language, setLanguage] = useState('');
  const [encoding, setEncoding] = useState('');
  const [rightsHolder, setRightsHolder] = useState('');
  const [isAttested, setAttested] = useState(false);
  const choose = (chosen: File | undefined) => {
    setFile(chosen ?? null);
    setLabel(fileLabel(chosen?.name ?? ''));
    setAttested(false);
  };
  const isReady = file !== null && label.trim() !== '' && rightsHolder.trim() !== '' && isAttested;
  const attach = (event: Event) => {
    event.preventDefault();
    if (!isReady) return;
    const [tag, name] = [language.trim(), encoding.trim()];
    const words = { label: label.trim(), rightsHolder: rightsHolder.trim(), ownershipAttested: true } as const;
    run(async () => {
      const said = { ...(tag !== '' && { language: tag }), ...(name !== '' && { encoding: name }) };
      await host.subtitles.attach(sourceSessionId, file, { ...words, ...said });
      onAttached();
    });
  };
  return (
    <form class="panel" aria-label="Attach a subtitle file" onSubmit={attach}>
      <Field label="Attach a subtitle file" hint="SRT, WebVTT or ASS, at most 1 MiB. The next studies read it.">
        {(id) => (
          <input
            id={id}
            type="file"
            accept=".srt,.vtt,.ass,.ssa"
            onChange={({ currentTarget }) => choose(currentTarget.files?.[0])}
          />
        )}
      </Field>
      {file !== null && (
        <>
          <TextField label="Label" hint="What the track is called." value={label} onValue={setLabel} />
          <div class="pair">
            <TextField
              label="Language"
              hint="A tag; without it each study identifies the language."
              placeholder="such as ko"
              value={language}
              onValue={setLanguage}
              isMono
            />
            <TextField
              label="Encoding"
              hint="A name, where the text is not in UTF-8."
              placeholder="utf-8"
              value={encoding}
              onValue={setEncoding}
              isMono
            />
          </div>
          <TextField label="Rights holder" value={rightsHolder} onValue={setRightsHolder} />
          <Agree isTicked={isAttested} onTick={setAttested}>
            I attest that I own this file or may have it processed on this machine.
          </Agree>
          <button type="submit" class="primary" disabled={!isReady || deed.state === 'busy'}>
            {deed.state === 'busy' ? 'Attaching the file' : 'Attach the file'}
          </button>
          {!isReady && <p class="hint">A label, a rights holder and the attestation are needed.</p>}
          {deed.state === 'failed' && <Failed error={deed.error} />}
        </>
      )}
    </form>
  );
}
