import type { SubtitleTrack } from '../../../contract/sources/subtitle-track.ts';
import { useHost } from '../host/use-host.ts';
import { useRemote } from '../host/use-remote.ts';
import { RemotePart } from '../parts/remote-part.tsx';

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

/** The subtitle files that are attached to a source; nothing where there are none. */
export function AttachedSubtitles({ sourceSessionId }: { readonly sourceSessionId: string }) {
  const host = useHost();
  const { remote, reload } = useRemote(() => host.subtitles.list(sourceSessionId), [host, sourceSessionId]);
  return (
    <RemotePart of={remote} what="the attached subtitles" onRetry={reload}>
      {({ subtitleTracks }) =>
        subtitleTracks.length === 0 ? null : (
          <table>
            <caption>Attached subtitle files</caption>
            <thead>
              <tr>
                <th scope="col">Track</th>
                <th scope="col">File</th>
                <th scope="col">Language</th>
                <th scope="col">Format</th>
                <th scope="col">Cues</th>
                <th scope="col">Rights holder</th>
              </tr>
            </thead>
            <tbody>
              {subtitleTracks.map(({ trackIndex, label, language, format, encoding, measured, rights }) => (
                <tr key={trackIndex}>
                  <td>{trackIndex}</td>
                  <td>{label}</td>
                  <td>{language ?? 'not stated'}</td>
                  <td>
                    {format}, {encoding}
                  </td>
                  <td>{[String(measured.cues), unusual(measured)].filter((words) => words !== '').join(': ')}</td>
                  <td>{rights.assertedBy}</td>
                </tr>
              ))}
            </tbody>
          </table>
        )
      }
    </RemotePart>
  );
}
