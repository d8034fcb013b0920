import type { ProbedTrack } from './ffprobe-output.ts';
import { ProbeFailure } from './probe-failure.ts';

// One 8-bit 4:2:0 frame of 2^26 pixels takes 96 MiB and a decoder holds several; 8K video has half as many pixels.
// 16384 is the longest side that the highest levels of AV1 allow (AV1 specification, annex A.3).
const LARGEST_SIDE = 16_384;
const LARGEST_AREA = 2 ** 26;

// A container states how long it is; a file cut behind its header holds less. Complete files of every kind tried here
// ended within 60 ms of what they state, so this leaves room for odd writers only.
const MISSING_MS = 1000;
const MISSING_SHARE = 0.05;

// These state no duration: ffmpeg derives one from timestamps or from the bit rate.
const DERIVED_DURATION = new Set(['mpegts', 'mpeg', 'aac', 'ac3', 'eac3', 'amr']);

/** Whether a person could watch or hear this track. */
export function isPlayable(track: ProbedTrack): boolean {
  if (track.codec === 'unknown' || track.isCoverArt) return false;
  return track.type === 'audio' || (track.type === 'video' && track.width !== undefined);
}

/** Whether the track is read when the file is read to its end. Data and attachments are not: nobody uses them. */
export function isDemuxed(track: ProbedTrack): boolean {
  return isPlayable(track) || (track.type === 'subtitle' && track.codec !== 'unknown');
}

export function nothingPlayable(): ProbeFailure {
  return new ProbeFailure('no_playable_track', 'no audio or video track with packets and a known codec');
}

/** Refuses pictures so large that decoding one would strain the host. Cover art is never decoded. */
export function refuseGiants(tracks: readonly ProbedTrack[]): void {
  for (const { isCoverArt, width = 0, height = 0 } of tracks) {
    if (isCoverArt || (Math.max(width, height) <= LARGEST_SIDE && width * height <= LARGEST_AREA)) continue;
    throw new ProbeFailure('dimensions_too_large', `a picture of ${width}x${height}`);
  }
}

/** Refuses a file whose packets end well before the duration that its header states. `heldMs` null: not measured. */
export function refuseShortfall(measured: {
  readonly durationMs: number;
  readonly heldMs: number | null;
  readonly containerNames: readonly string[];
  readonly tracks: readonly ProbedTrack[];
}): void {
  const { durationMs, heldMs, containerNames, tracks } = measured;
  // A picture may stand for any time after its packet; only sound tells that something is missing at the end.
  const hasSound = tracks.some(({ type }) => type === 'audio');
  if (heldMs === null || !hasSound || containerNames.some((name) => DERIVED_DURATION.has(name))) return;
  const statedMs = playableDuration(tracks) ?? durationMs;
  if (statedMs - heldMs <= Math.max(MISSING_MS, statedMs * MISSING_SHARE)) return;
  throw new ProbeFailure('container_damaged', `the file holds ${heldMs} ms of the stated ${statedMs} ms`);
}

/** How long picture and sound say that they last. A subtitle may outlast them: its packet holds one text for its time. */
function playableDuration(tracks: readonly ProbedTrack[]): number | null {
  const durations = tracks.filter(isPlayable).map(({ durationMs }) => durationMs);
  return durations.some((each) => each === null) ? null : Math.max(...durations.map(Number));
}
