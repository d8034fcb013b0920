import { attachedSubtitleTrack, type SourceSessionRow, subtitleTracks } from '../../contract/sources/source-session.ts';
import type { Recorder } from './recorder.ts';

const lines = '1\n00:00:00,200 --> 00:00:01,400\nThis is read as it is.\n';

/** A subtitle file that is attached to a source, and taken off again. */
export async function attachSubtitles(recorder: Recorder, { sourceSessionId }: SourceSessionRow): Promise<void> {
  const params = { sourceSessionId };
  const { track } = await recorder.granted('attachSubtitleTrack', attachedSubtitleTrack, {
    params,
    query: {
      rightsScope: 'local_processing',
      ownershipAttested: 'true',
      rightsHolder: 'The owner of the file',
      label: 'lines.srt',
      language: 'en',
    },
    bytes: new TextEncoder().encode(lines),
  });
  await recorder.granted('listSubtitleTracks', subtitleTracks, { params });
  const attached = { ...params, trackIndex: String(track.trackIndex) };
  await recorder.granted('detachSubtitleTrack', subtitleTracks, { params: attached });
}
