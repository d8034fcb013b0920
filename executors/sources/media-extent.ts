import type { IncompleteMedia, ProbedTrack } from '../../contract/sources/media-probe.ts';
import { isPlayable, ProbeFailure } from './probe-failure.ts';

// A container states its length; a file cut behind its header holds less. Complete files of every kind tried here ended within 60
// ms of the stated length. So this leaves room for odd writers only, and for a last picture whose packet does not state its
// duration.
const MISSING_SOUND_MS = 250;
const MISSING_PICTURE_MS = 500;
const MISSING_SHARE = 0.005;

// A file of a crashed recorder misses its last seconds. If more than a quarter is gone, a transfer broke off. A study of the rest
// would be about another film than the one that was meant.
const LEAST_SHARE = 0.75;

// Measurements are exact to a packet or two. So an estimate that is further off is wrong, and a damaged file that holds less has
// lost its end.
const MEASURED_MS = 100;

// A header that promises more than this over a file that reads to its end without a fault is wrong, not cut.
const BELIEVED_MS = 24 * 60 * 60 * 1000;

// They state no duration: ffmpeg derives one from timestamps or from the bit rate of the beginning.
const DERIVED_DURATION = new Set(['mpegts', 'mpeg', 'aac', 'ac3', 'eac3', 'amr', 'dts']);

// They state when they end by their own clock, which need not begin at zero.
const END_TIMES = new Set(['matroska', 'mov']);

/** The measured length of a file, in milliseconds. */
export interface MeasuredExtent {
  readonly containerNames: readonly string[];
  /** The container's word, or an estimate of the tool. */
  readonly statedMs: number | null;
  /** The time of the container's clock at the first sample. */
  readonly startOffsetMs: number;
  /** The end of the last packet, counted from the first sample; null where the packets have no times. */
  readonly heldMs: number | null;
  /** The fault when the file was read to its end. */
  readonly damage: 'ends_early' | 'corrupt_packets' | null;
  /** The tool guessed the length: from the bit rate of the beginning. */
  readonly isEstimated: boolean;
  /** The header's own length in bytes, as a time; null if it states none. */
  readonly promisedMs: number | null;
  readonly tracks: readonly ProbedTrack[];
}

interface Extent {
  readonly durationMs: number;
  /** If the container does not state the length that the media has, no track outlasts that length. */
  readonly tracks: readonly ProbedTrack[];
  /** Null: the file holds what it states. */
  readonly incomplete: IncompleteMedia | null;
}

/**
 * The length of the media, and the note if that differs from the container's statement. Throws `ProbeFailure`:
 * `container_damaged` when too little of it is left, `duration_unknown` when no length is known.
 */
export function extentOf(measured: MeasuredExtent): Extent {
  const { heldMs, damage } = measured;
  const statedMs = statedLength(measured);
  const durationMs = statedMs ?? heldMs;
  if (durationMs === null || durationMs === 0) {
    throw new ProbeFailure('duration_unknown', 'the container states no duration and its packets have no times');
  }
  const tracks = statedMs === measured.statedMs ? measured.tracks : shortened(fromFirstSample(measured), durationMs);
  const found = { ...measured, statedMs, tracks };
  if (heldMs === null || heldMs === 0) {
    if (damage !== null)
      throw new ProbeFailure('container_damaged', 'not one whole packet is left; copy the file again');
    return { durationMs, tracks, incomplete: null };
  }
  if (isGuessed(measured)) return guessedExtent(found, durationMs, heldMs);
  const length = heldExtent(found, durationMs, heldMs);
  if (length.durationMs > durationMs) return { ...length, tracks: unknown(tracks) };
  return { ...length, tracks: length.durationMs === durationMs ? tracks : shortened(tracks, length.durationMs) };
}

type Length = Omit<Extent, 'tracks'>;

const whole = (durationMs: number): Length => ({ durationMs, incomplete: null });

const noted = (cause: IncompleteMedia['cause'], statedMs: number | null, measuredMs: number): Length => ({
  durationMs: measuredMs,
  incomplete: { cause, statedMs, measuredMs },
});

const isGuessed = ({ isEstimated, containerNames }: MeasuredExtent): boolean =>
  isEstimated || containerNames.some((name) => DERIVED_DURATION.has(name));

/** Nothing was stated, so nothing can be missing at the end. */
function guessedExtent({ damage, tracks }: MeasuredExtent, guessedMs: number, heldMs: number): Extent {
  const isRight = Math.abs(guessedMs - heldMs) <= MEASURED_MS;
  const durationMs = isRight ? guessedMs : heldMs;
  return {
    ...(damage === null ? whole(durationMs) : noted(damage, null, durationMs)),
    // A container that is wrong about the whole is wrong about its tracks.
    tracks: isRight ? tracks : unknown(tracks),
  };
}

/** True if tracks go on behind the length that their container states, as those of joined files do. */
export const holdsMore = (tracks: readonly ProbedTrack[], statedMs: number | null, heldMs: number | null): boolean =>
  statedMs !== null && heldMs !== null && heldMs <= BELIEVED_MS && heldMs - statedMs > leeway(tracks, statedMs);

function heldExtent(found: MeasuredExtent, durationMs: number, heldMs: number): Length {
  const { damage, tracks, statedMs } = found;
  if (holdsMore(tracks, durationMs, heldMs)) return noted(damage ?? 'length_misstated', statedMs, heldMs);
  const isShort = (held: number, promised: number): boolean =>
    promised - held > (damage === null ? leeway(tracks, promised) : MEASURED_MS);
  const promisedMs = found.promisedMs ?? playableDuration(tracks) ?? durationMs;
  // A picture may stand for any time after its packet; only sound or a damaged end tell that something is missing.
  const isReported = damage !== null || tracks.some(({ type }) => type === 'audio');
  if (isReported && isShort(heldMs, promisedMs)) {
    if (damage === null && promisedMs > BELIEVED_MS) return noted('length_misstated', promisedMs, heldMs);
    if (heldMs < promisedMs * LEAST_SHARE) throw tooLittle(heldMs, promisedMs);
    return noted('ends_early', promisedMs, heldMs);
  }
  if (damage !== null) return noted(damage, statedMs, Math.min(durationMs, heldMs));
  const longestMs = longestTrack(tracks) ?? (durationMs > BELIEVED_MS ? heldMs : durationMs);
  return isShort(Math.max(heldMs, longestMs), durationMs)
    ? noted('length_misstated', statedMs, heldMs)
    : whole(durationMs);
}

/** The stated length without the time before the first sample, where the container counts that in. */
function statedLength({ containerNames, statedMs, startOffsetMs, heldMs }: MeasuredExtent): number | null {
  if (statedMs === null || heldMs === null || startOffsetMs <= 0) return statedMs;
  if (!containerNames.some((name) => END_TIMES.has(name))) return statedMs;
  // Some writers state the length all the same; what the file holds tells which of the two this is.
  const length = statedMs - startOffsetMs;
  return length > 0 && Math.abs(length - heldMs) < Math.abs(statedMs - heldMs) ? length : statedMs;
}

function leeway(tracks: readonly ProbedTrack[], promisedMs: number): number {
  const hasPictures = tracks.some((track) => track.type === 'video' && isPlayable(track));
  return Math.max(hasPictures ? MISSING_PICTURE_MS : MISSING_SOUND_MS, promisedMs * MISSING_SHARE);
}

/** The tracks with their lengths. Matroska states the end of each by the clock of the whole; other containers state its length. */
const fromFirstSample = ({ containerNames, startOffsetMs, tracks }: MeasuredExtent): readonly ProbedTrack[] =>
  !containerNames.includes('matroska')
    ? tracks
    : tracks.map((track) =>
        track.durationMs === null ? track : { ...track, durationMs: Math.max(1, track.durationMs - startOffsetMs) },
      );

const unknown = (tracks: readonly ProbedTrack[]): ProbedTrack[] =>
  tracks.map((track) => ({ ...track, durationMs: null }));

const shortened = (tracks: readonly ProbedTrack[], durationMs: number): ProbedTrack[] =>
  tracks.map((track) =>
    track.durationMs === null ? track : { ...track, durationMs: Math.min(track.durationMs, durationMs) },
  );

function tooLittle(heldMs: number, promisedMs: number): ProbeFailure {
  const remedy = 'copy it again, or keep the rest with "ffmpeg -i IN -c copy OUT.mkv"';
  return new ProbeFailure('container_damaged', `${remedy}: the file holds ${heldMs} ms of the stated ${promisedMs} ms`);
}

/** How long picture and sound say that they last. A subtitle may outlast them: its packet holds one text for its time. */
function playableDuration(tracks: readonly ProbedTrack[]): number | null {
  const durations = tracks.filter(isPlayable).map(({ durationMs }) => durationMs);
  return durations.some((each) => each === null) ? null : Math.max(...durations.map(Number));
}

/** The longest stated length of a track; null if picture or sound state none. */
function longestTrack(tracks: readonly ProbedTrack[]): number | null {
  const playable = playableDuration(tracks);
  return playable === null ? null : Math.max(playable, ...tracks.map(({ durationMs }) => durationMs ?? 0));
}
