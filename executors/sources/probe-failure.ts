import { cutText } from '../../contract/base/grammar.ts';
import type { probeFailures } from '../../contract/causes/failures.ts';
import type { ProbedTrack } from '../../contract/sources/media-probe.ts';
import { ProcessFailure, type ProcessFailureCause } from '../process/process.ts';

export type ProbeFailureCause = (typeof probeFailures)[number] | ProcessFailureCause;

const MESSAGE_UNITS = 256;

/** The one way in which a probe fails. `message` begins with the cause word, has 1-256 characters and names no path. */
export class ProbeFailure extends Error {
  readonly reason: ProbeFailureCause;
  constructor(reason: ProbeFailureCause, detail: string, cause?: unknown) {
    super(cutText(`${reason}: ${detail}`, MESSAGE_UNITS), { cause });
    this.name = 'ProbeFailure';
    this.reason = reason;
  }
}

/** Turns a launcher's failure into the probe's, word for word; anything else goes on as it is. */
export function asProbeFailure(error: unknown): unknown {
  if (!(error instanceof ProcessFailure)) return error;
  return new ProbeFailure(error.reason, error.message.slice(error.reason.length + 2), error);
}

// One 8-bit 4:2:0 frame of 2^26 pixels takes 96 MiB and a decoder holds several; 8K video has half as many pixels. The longest
// side that the highest levels of AV1 allow is 16384 (AV1 specification, annex A.3).
const LARGEST_SIDE = 16_384;
const LARGEST_AREA = 2 ** 26;

/** True if a person could watch this track or listen to it. */
export function isPlayable(track: ProbedTrack): boolean {
  if (track.codec === 'unknown' || track.isCoverArt) return false;
  return track.type === 'audio' || (track.type === 'video' && track.width !== undefined);
}

/** True if the track is read when the file is read to its end. Data and attachments are not: no study uses them. */
export function isDemuxed(track: ProbedTrack): boolean {
  return isPlayable(track) || (track.type === 'subtitle' && track.codec !== 'unknown');
}

/**
 * True if packets of the track do not state their length, and one may be long. A block of WavPack lasts from half a second to
 * eight, one of FLAC up to 65,535 samples.
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
