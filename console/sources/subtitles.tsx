import { useState } from 'preact/hooks';
import type { SubtitleTrack } from '../../contract/sources/subtitle-track.ts';
import { useHost } from '../host/session.ts';
import { useAction, useRemote } from '../host/use-remote.ts';
import { fileLabel } from '../parts/drop-file.tsx';
import { Agree, Field, TextField } from '../parts/field.tsx';
import { Failed, RemotePart } from '../parts/notice.tsx';

interface AttachSubtitlesProps {
  readonly sourceSessionId: string;
  /** Called when the source has a new revision with the file. */
  readonly onAttached: () => void;
}

/** Takes a subtitle file for a source, with the words that the person answers for. */
function AttachSubtitles({ sourceSessionId, onAttached }: AttachSubtitlesProps) {
  const host = useHost();
  const { action, run } = useAction();
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
          <TextField label="Label" hint="The name of the track." value={label} onValue={setLabel} />
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
          <TextField label="Who owns the rights?" value={rightsHolder} onValue={setRightsHolder} />
          <Agree isTicked={isAttested} onTick={setAttested}>
            I own this file, or may have it processed on this computer.
          </Agree>
          <button type="submit" class="primary" disabled={!isReady || action.state === 'busy'}>
            {action.state === 'busy' ? 'Attaching the file' : 'Attach the file'}
          </button>
          {!isReady && <p class="hint">Needed: a label, who owns the rights, and the tick.</p>}
          {action.state === 'failed' && <Failed error={action.error} />}
        </>
      )}
    </form>
  );
}

/** The unusual cues of a file, which were stored unchanged. */
function unusual({ outOfOrder, overlapping, withoutDuration, beyondMedia }: SubtitleTrack['measured']): string {
  const found: readonly (readonly [number, string])[] = [
    [outOfOrder, 'out of order'],
    [overlapping, 'shown with an earlier one'],
    [withoutDuration, 'never shown'],
    [beyondMedia, 'behind the end'],
  ];
  return found.flatMap(([count, what]) => (count === 0 ? [] : [`${count} ${what}`])).join(', ');
}

function trackWords({ trackIndex, language, format, encoding, measured, rights }: SubtitleTrack): string {
  const cues = `${measured.cues} ${measured.cues === 1 ? 'cue' : 'cues'}`;
  const remark = unusual(measured);
  return [
    `track ${trackIndex}`,
    language ?? 'language not stated',
    `${format}, ${encoding}`,
    remark === '' ? cues : `${cues}: ${remark}`,
    `rights: ${rights.assertedBy}`,
  ].join(' · ');
}

interface AttachedSubtitlesProps {
  readonly sourceSessionId: string;
  /** Called when the source has a new revision. */
  readonly onChanged: () => void;
}

/** The subtitle files that are attached to a source, and what takes another one. */
export function AttachedSubtitles({ sourceSessionId, onChanged }: AttachedSubtitlesProps) {
  const host = useHost();
  const { remote, reload } = useRemote(() => host.subtitles.list(sourceSessionId), [host, sourceSessionId]);
  return (
    <>
      <RemotePart of={remote} what="the attached subtitles" onRetry={reload}>
        {({ subtitleTracks }) =>
          subtitleTracks.length === 0 ? null : (
            <section aria-label="Attached subtitle files">
              <h3>Attached subtitle files</h3>
              <ul class="plain lined">
                {subtitleTracks.map((track) => (
                  <li key={track.trackIndex}>
                    <span class="line-name">{track.label}</span> <span class="quiet">{trackWords(track)}</span>
                  </li>
                ))}
              </ul>
            </section>
          )
        }
      </RemotePart>
      <AttachSubtitles sourceSessionId={sourceSessionId} onAttached={onChanged} />
    </>
  );
}
