import type { ToolIdentity } from '../../contract/base/artifact.ts';
import type {
  MediaProbe,
  MediaProbeTrack,
  ProbedTrack,
  ProbeResult,
  SealedIncompleteMedia,
} from '../../contract/sources/media-probe.ts';
import { type ContentRef, contentHashOf } from './sealed-content.ts';

export interface MediaProbeInput {
  readonly media: ContentRef;
  /** Where the media lies below the source's folder. */
  readonly mediaPath: string;
  readonly probe: ProbeResult;
  readonly tools: readonly ToolIdentity[];
}

/** The probe's milliseconds as the record's seconds. */
const secondsOf = (ms: number): number => ms / 1000;

/** Cover art, data and attachments are `other`: no player shows them as a track. */
function recordedTrack(track: ProbedTrack): MediaProbeTrack {
  const { index, codec, durationMs, language, width, height, sampleRate, channels } = track;
  const stated = {
    ...(durationMs === null ? {} : { duration: secondsOf(durationMs) }),
    ...(language === null ? {} : { language }),
  };
  if (track.isCoverArt) return { index, type: 'other', codec, ...stated };
  switch (track.type) {
    case 'video': {
      const size = width === undefined || height === undefined ? {} : { width, height };
      return { index, type: 'video', codec, ...stated, ...size };
    }
    case 'audio': {
      const layout = sampleRate === undefined || channels === undefined ? {} : { sample_rate: sampleRate, channels };
      return { index, type: 'audio', codec, ...stated, ...layout, ...(track.isDefault ? { default: true } : {}) };
    }
    case 'subtitle':
      return { index, type: 'subtitle', codec, ...stated };
    default:
      return { index, type: 'other', codec, ...stated };
  }
}

/** The note on incomplete media in the seconds of sealed records; undefined for whole media. */
function sealedNoteOf({ incomplete }: ProbeResult): SealedIncompleteMedia | undefined {
  if (incomplete === undefined) return undefined;
  const { cause, statedMs, measuredMs } = incomplete;
  return { cause, stated: statedMs === null ? null : secondsOf(statedMs), measured: secondsOf(measuredMs) };
}

/** The fields that only some media have. */
function exceptions(probe: ProbeResult): Pick<MediaProbe, 'start_offset' | 'incomplete_media'> {
  const { startOffsetMs } = probe;
  const note = sealedNoteOf(probe);
  return {
    ...(startOffsetMs === undefined ? {} : { start_offset: secondsOf(startOffsetMs) }),
    ...(note === undefined ? {} : { incomplete_media: note }),
  };
}

/** The probe record of a sealed file. Equal bytes under equal tools give equal records. */
export const mediaProbeOf = ({ media, mediaPath, probe, tools }: MediaProbeInput): MediaProbe => ({
  schema: 'studio.media-probe.v1',
  producer: 'scripts/probe-media.mjs',
  run: { tools: [...tools] },
  media: { path: mediaPath },
  input: { content_id: media.contentId, hash: contentHashOf(media.contentId), bytes: media.bytes },
  duration: secondsOf(probe.durationMs),
  ...exceptions(probe),
  container: [...probe.containerNames],
  container_long_name: probe.containerLongName,
  bit_rate: probe.bitRate,
  tracks: probe.tracks.map(recordedTrack),
});
