import type { ProbedTrack } from '../../contract/sources/probe-result.ts';
import { ProbeFailure } from './probe-failure.ts';

// One 8-bit 4:2:0 frame of 2^26 pixels takes 96 MiB and a decoder holds several; 8K video has half as many pixels.
// 16384 is the longest side that the highest levels of AV1 allow (AV1 specification, annex A.3).
const LARGEST_SIDE = 16_384;
const LARGEST_AREA = 2 ** 26;

/** Whether a person could watch or hear this track. */
export function isPlayable(track: ProbedTrack): boolean {
  if (track.codec === 'unknown' || track.isCoverArt) return false;
  return track.type === 'audio' || (track.type === 'video' && track.width !== undefined);
}

/** Whether the track is read when the file is read to its end. Data and attachments are not: no study uses them. */
export function isDemuxed(track: ProbedTrack): boolean {
  return isPlayable(track) || (track.type === 'subtitle' && track.codec !== 'unknown');
}

/**
 * Whether packets of the track do not tell how long they last, and one may last long: a block of WavPack from half a second
 * to eight, one of FLAC up to 65,535 samples.
 */
export function lacksPacketLengths({ codec }: ProbedTrack): boolean {
  return codec === 'wavpack' || codec === 'flac';
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
