import type { MediaProbeTrack } from '../../../contract/sources/media-probe.ts';
import type { SourceSessionRow } from '../../../contract/sources/source-session.ts';
import { useHost } from '../host/use-host.ts';
import { useRemote } from '../host/use-remote.ts';
import { Facts } from '../parts/facts.tsx';
import { Identity } from '../parts/identity.tsx';
import { RemotePart } from '../parts/remote-part.tsx';
import { counted } from '../words/counted.ts';
import { size } from '../words/sizes.ts';
import { AttachedSubtitles } from './attached-subtitles.tsx';

function trackWords(track: MediaProbeTrack): string {
  const said = track.language === undefined ? [] : [`tagged ${track.language}`];
  if (track.type === 'video' && track.width !== undefined)
    return [`${track.width} × ${track.height}`, ...said].join(', ');
  if (track.type === 'audio' && track.sample_rate !== undefined)
    return [`${track.sample_rate / 1000} kHz`, counted(track.channels ?? 0, 'channel'), ...said].join(', ');
  return said.join(', ');
}

interface SourceDetailsProps {
  readonly source: SourceSessionRow;
  /** Called when the source has a new revision. */
  readonly onChanged: () => void;
}

/** The tracks of a source as they were measured, its subtitle files, and what the source is known by. */
export function SourceDetails({ source, onChanged }: SourceDetailsProps) {
  const host = useHost();
  const { remote, reload } = useRemote(() => host.mediaProbe(source.sourceSessionId), [host, source.sourceSessionId]);
  return (
    <div class="row-details">
      <RemotePart of={remote} what="the tracks" onRetry={reload}>
        {({ tracks, input, container_long_name: container }) => (
          <>
            <table>
              <caption>Tracks</caption>
              <thead>
                <tr>
                  <th scope="col">Track</th>
                  <th scope="col">Kind</th>
                  <th scope="col">Codec</th>
                  <th scope="col">Measures</th>
                </tr>
              </thead>
              <tbody>
                {tracks.map((track) => (
                  <tr key={track.index}>
                    <td>{track.index}</td>
                    <td>{track.type}</td>
                    <td>{track.codec}</td>
                    <td>{trackWords(track)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
            <AttachedSubtitles
              key={source.sourceRevisionId}
              sourceSessionId={source.sourceSessionId}
              onChanged={onChanged}
            />
            <Facts
              of={[
                ['Container', container],
                ['Size', size(input.bytes)],
                [
                  'Language evidence',
                  source.detectedLanguageEvidenceAvailable ? 'came with the source' : 'none came with it',
                ],
                ['Bytes', <Identity id={source.sourceContentId} />],
                ['Session', <Identity id={source.sourceSessionId} />],
                ['Revision', <Identity id={source.sourceRevisionId} />],
              ]}
            />
          </>
        )}
      </RemotePart>
    </div>
  );
}
