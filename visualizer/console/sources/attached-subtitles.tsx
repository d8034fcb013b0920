import type { SubtitleTrack } from '../../../contract/sources/subtitle-track.ts';
import { useHost } from '../host/use-host.ts';
import { useRemote } from '../host/use-remote.ts';
import { RemotePart } from '../parts/remote-part.tsx';
import { AttachSubtitles } from './attach-subtitles.tsx';

/** What is unusual among the cues of a file; nothing of it was changed. */
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
