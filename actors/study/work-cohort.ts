import type { MediaCapability } from '../../contract/evidence/media-operation.ts';
import type { MediaProbe } from '../../contract/sources/media-probe.ts';
import type { PictureSize, WorkCohort } from '../../contract/study/forecast.ts';
import { hashOf } from '../../formats/canonical-json.ts';
import type { MediaOperation } from '../../receipts/evidence/media-operation.ts';

/** The most pixels of each class, ascending; some encoders fill full HD up to 1,088 lines. */
const classes: readonly (readonly [PictureSize, number])[] = [
  ['sd', 720 * 576],
  ['hd', 1280 * 720],
  ['full_hd', 1920 * 1088],
];

function sizeOf(width: number | undefined, height: number | undefined): PictureSize {
  if (width === undefined || height === undefined) return 'unknown';
  return classes.find(([, most]) => width * height <= most)?.[0] ?? 'ultra_hd';
}

/** Operations whose cost depends on the subtitles of a medium. */
const readsSubtitles: Readonly<Record<MediaCapability, boolean>> = { 'media.detect': false, 'media.subtitles': true };

/** Among which operations one over this medium is counted. */
export function workCohortOf({ capability, tools }: MediaOperation, { tracks }: MediaProbe): WorkCohort {
  const video = tracks.find((track) => track.type === 'video');
  const audio = tracks.find((track) => track.type === 'audio');
  const subtitles = tracks.flatMap((track) => (track.type === 'subtitle' ? [track.codec] : []));
  return {
    capability,
    detectors: hashOf(tools),
    video: video === undefined ? null : { codec: video.codec, size: sizeOf(video.width, video.height) },
    audioCodec: audio?.codec ?? null,
    subtitleCodecs: readsSubtitles[capability] ? subtitles.sort() : null,
  };
}
