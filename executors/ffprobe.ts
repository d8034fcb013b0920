import { readSignature } from './container-signature.ts';
import { milliseconds, type ProbedTrack, positiveInteger, trackOf, withDefaultAudio } from './ffprobe-output.ts';
import { countPackets, readReport } from './ffprobe-run.ts';
import { demuxToEnd } from './integrity-pass.ts';
import { asProbeFailure, ProbeFailure } from './probe-failure.ts';
import { isDemuxed, isPlayable, nothingPlayable, refuseGiants, refuseShortfall } from './probe-rules.ts';
import type { Launcher } from './process.ts';

/** What a media file really holds. Every track listed has packets. */
export interface ProbeResult {
  /** Rounded from the container's seconds, or measured to the end of the last packet; at least 1. */
  readonly durationMs: number;
  readonly durationSeconds: number;
  /** ffmpeg's names of the container: `mov`, `mp4`, ... */
  readonly containerNames: readonly string[];
  readonly containerLongName: string;
  /** Bits per second over the whole file. */
  readonly bitRate: number | null;
  readonly tracks: readonly ProbedTrack[];
}

/** The executables that a probe needs, by absolute path. */
export interface ProbeTools {
  readonly ffprobe: { readonly path: string };
  readonly ffmpeg: { readonly path: string };
}

/**
 * Measures an untrusted media file: what it is, how long, which tracks; then reads it to its end.
 * `file` is an absolute path. Rejects with `ProbeFailure`, and only with that.
 */
export async function probeMedia(
  launcher: Launcher,
  tools: ProbeTools,
  file: string,
  signal: AbortSignal,
): Promise<ProbeResult> {
  try {
    const signature = await readSignature(file);
    const report = await readReport(launcher, tools.ffprobe.path, file, signature.known, signal);
    const { format } = report;
    const tracks = report.streams.map(trackOf);
    refuseGiants(tracks);
    if (!tracks.some(isPlayable)) throw nothingPlayable();
    const statedMs = milliseconds(format.duration);
    const containerNames = format.format_name.split(',');
    const streams = tracks.filter(isDemuxed).map(({ index }) => index);
    const [counted, heldMs] = await readWholeFile(signal, (whole) => [
      countPackets(launcher, tools.ffprobe.path, file, report, whole),
      demuxToEnd(launcher, tools.ffmpeg.path, { file, streams, openEnded: signature.openEnded }, whole),
    ]);
    const filled = tracks.filter((track) => track.isCoverArt || counted.has(track.index));
    if (!filled.some(isPlayable)) throw nothingPlayable();
    // A recording that was streamed to disk states no duration; then it is as long as what it holds.
    const durationMs = statedMs ?? heldMs;
    if (durationMs === null || durationMs === 0) {
      throw new ProbeFailure('duration_unknown', 'the container states no duration and its packets have no times');
    }
    refuseShortfall({ durationMs, heldMs, containerNames, tracks: filled });
    return {
      durationMs,
      durationSeconds: durationMs / 1000,
      containerNames,
      containerLongName: format.format_long_name,
      bitRate: positiveInteger(format.bit_rate),
      tracks: withDefaultAudio(filled, report.streams),
    };
  } catch (error) {
    throw asProbeFailure(error);
  }
}

/** Runs two readers at once; the failure of one stops the other, and both are gone when this settles. */
async function readWholeFile<A, B>(
  signal: AbortSignal,
  begin: (signal: AbortSignal) => readonly [Promise<A>, Promise<B>],
): Promise<[A, B]> {
  const stop = new AbortController();
  const readers = begin(AbortSignal.any([signal, stop.signal]));
  try {
    return await Promise.all(readers);
  } catch (error) {
    stop.abort();
    await Promise.allSettled(readers);
    throw error;
  }
}
