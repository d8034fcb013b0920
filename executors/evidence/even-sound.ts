import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Launcher, ProcessFailure, type ProcessLimits } from '../process/process.ts';
import { MEDIA_GLOBAL_OPTIONS, mediaInput } from '../sources/media-whitelists.ts';
import type { DecodeRequest } from './decode-request.ts';
import { MAXIMUM_ERROR_SHARE } from './detection-parameters.ts';

const RATE = 48_000;
const CHANNELS = 2;
const BYTES_PER_SAMPLE = 2;

// Twice the samples: room for what they are packed in.
const BYTES_PER_MS = (2 * RATE * CHANNELS * BYTES_PER_SAMPLE) / 1000;

// More than the range, so that no filter of the reader runs dry before its end.
const MORE_SECONDS = 1;

/**
 * Runs an ffmpeg that writes the sound of a request into another process in one form, whatever forms it has on the way: a
 * filter graph begins anew at each change, and would lose what it has counted. Nothing is filtered here, and `limits` are
 * those of the reader. Resolves when the reader has enough; rejects with `ProcessFailure`.
 */
export async function evenSound(
  { launcher, ffmpeg }: { readonly launcher: Launcher; readonly ffmpeg: { readonly path: string } },
  work: {
    readonly request: DecodeRequest;
    readonly seek: number;
    /** How the media is entered there. */
    readonly entry: readonly string[];
    readonly limits: ProcessLimits;
    readonly into: Writable;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const { request, seek, entry, limits, into, signal } = work;
  const decodedMs = request.range.endMs - seek * 1000 + MORE_SECONDS * 1000;
  const running = await launcher.start({
    tool: ffmpeg.path,
    args: evenSoundArguments(request, seek, entry),
    limits: { ...limits, stdoutBytes: limits.stdoutBytes + BYTES_PER_MS * decodedMs },
    signal,
  });
  let hasEnough = false;
  await pipeline(running.stdout, into).catch(() => {
    hasEnough = true;
    running.kill();
  });
  await running.finished.catch((error: unknown) => {
    if (!hasEnough || !(error instanceof ProcessFailure) || error.reason !== 'aborted') throw error;
  });
}

const evenSoundArguments = (request: DecodeRequest, seek: number, entry: readonly string[]): string[] => [
  ...['-nostdin', '-nostats', '-v', 'error', ...MEDIA_GLOBAL_OPTIONS, '-max_error_rate', String(MAXIMUM_ERROR_SHARE)],
  ...[...entry, '-t', String(request.range.endMs / 1000 - seek + MORE_SECONDS)],
  ...mediaInput(request.path),
  // Who reads this counts from the first sample of any stream: one that begins at the seek point keeps a late start.
  ...['-f', 'lavfi', '-t', '0.1', '-i', `anullsrc=r=${RATE}:cl=mono`],
  ...['-map', `0:${request.audioTrackIndex}`, '-map', '1:0'],
  ...['-c:a', 'pcm_s16le', '-ar', String(RATE), '-ac', String(CHANNELS), '-f', 'nut', 'pipe:1'],
  ...keptInUse(request.videoTrackIndex),
];

/** The evened sound as an input on standard input. */
export const EVEN_SOUND_INPUT: readonly string[] = ['-protocol_whitelist', 'pipe', '-f', 'nut', '-i', 'pipe:0'];

/**
 * Options that keep a track in use of which nothing is needed. ffmpeg counts a transport stream from the first sample of
 * the tracks in use, so both processes must use the same ones.
 */
export const keptInUse = (trackIndex: number | null): string[] =>
  trackIndex === null ? [] : ['-map', `0:${trackIndex}`, '-c', 'copy', '-f', 'null', '-'];
