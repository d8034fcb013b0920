import { readSignature } from './container-signature.ts';
import {
  FFPROBE_ENTRIES,
  type FfprobeReport,
  ffprobeReport,
  milliseconds,
  type ProbedTrack,
  positiveInteger,
  trackOf,
} from './ffprobe-output.ts';
import { demuxToEnd, WHOLE_FILE_LIMITS } from './integrity-pass.ts';
import { MEDIA_GLOBAL_OPTIONS, MEDIA_INPUT_OPTIONS, mediaUrl } from './media-whitelists.ts';
import { asProbeFailure, ProbeFailure } from './probe-failure.ts';
import { isDemuxed, isPlayable, nothingPlayable, refuseGiants, refuseShortfall } from './probe-rules.ts';
import { type Launcher, ProcessFailure, type ProcessLimits } from './process.ts';

/** What a media file really holds. Every track listed has packets. */
export interface ProbeResult {
  /** Rounded from the container's seconds; at least 1. */
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

const HEADER_LIMITS: ProcessLimits = { ...WHOLE_FILE_LIMITS, wallMs: 20_000, cpuSeconds: 20 };

const AVERROR_EINVAL = -22;

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
    const durationMs = milliseconds(format.duration);
    if (durationMs === null) throw new ProbeFailure('duration_unknown', 'the container states no duration');
    const containerNames = format.format_name.split(',');
    const streams = tracks.filter(isDemuxed).map(({ index }) => index);
    const [counted, heldMs] = await readWholeFile(signal, (whole) => [
      countPackets(launcher, tools.ffprobe.path, file, report, whole),
      demuxToEnd(launcher, tools.ffmpeg.path, { file, streams, openEnded: signature.openEnded }, whole),
    ]);
    const filled = tracks.filter((track) => track.isCoverArt || counted.has(track.index));
    if (!filled.some(isPlayable)) throw nothingPlayable();
    refuseShortfall({ durationMs, heldMs, containerNames, tracks: filled });
    return {
      durationMs,
      durationSeconds: durationMs / 1000,
      containerNames,
      containerLongName: format.format_long_name,
      bitRate: positiveInteger(format.bit_rate),
      tracks: filled,
    };
  } catch (error) {
    throw asProbeFailure(error);
  }
}

type MediaReport = FfprobeReport & { readonly format: NonNullable<FfprobeReport['format']> };

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

async function readReport(
  launcher: Launcher,
  ffprobe: string,
  file: string,
  knownContainer: boolean,
  signal: AbortSignal,
): Promise<MediaReport> {
  const args = ['-v', 'error', '-show_error', '-show_entries', FFPROBE_ENTRIES, ...inputWords(file)];
  try {
    const { stdout } = await launcher.run({ tool: ffprobe, args, limits: HEADER_LIMITS, signal });
    const report = parseReport(stdout.toString('utf8'));
    if (report?.format === undefined) throw unreadableOutput();
    return { ...report, format: report.format };
  } catch (error) {
    if (!(error instanceof ProcessFailure) || error.reason !== 'tool_exit') throw error;
    throw refusal(error, knownContainer);
  }
}

/** Why ffprobe gave up, from its own error code where there is one. */
function refusal(failure: ProcessFailure, knownContainer: boolean): ProbeFailure {
  const code = parseReport(failure.stdout)?.error?.code;
  if (code === AVERROR_EINVAL) {
    return new ProbeFailure('format_not_allowed', 'not a container that holds its own media', failure);
  }
  // ffmpeg's own picture limit strikes before there is any report.
  const size = /Picture size (\d+x\d+) is invalid/.exec(failure.stderr)?.[1];
  if (size !== undefined) return new ProbeFailure('dimensions_too_large', `a picture of ${size.slice(0, 40)}`, failure);
  return knownContainer
    ? new ProbeFailure('container_damaged', 'the container cannot be opened', failure)
    : new ProbeFailure('not_media', 'no media container was found in the bytes', failure);
}

/**
 * The indexes of the streams that hold packets. MP4 and its kin count them in the header; the file is
 * read for the count only where some stream lacks one.
 */
async function countPackets(
  launcher: Launcher,
  ffprobe: string,
  file: string,
  report: FfprobeReport,
  signal: AbortSignal,
): Promise<ReadonlySet<number>> {
  const counts = report.format?.format_name.split(',').includes('mp4') === true;
  if (counts && report.streams.every(({ nb_frames }) => positiveInteger(nb_frames) !== null))
    return new Set(report.streams.map(({ index }) => index));
  const args = ['-v', 'quiet', '-count_packets', '-show_entries', FFPROBE_ENTRIES, ...inputWords(file)];
  const { stdout } = await launcher.run({ tool: ffprobe, args, limits: WHOLE_FILE_LIMITS, signal });
  const read = parseReport(stdout.toString('utf8'));
  if (read === null) throw unreadableOutput();
  const filled = read.streams.filter(({ nb_read_packets }) => positiveInteger(nb_read_packets) !== null);
  return new Set(filled.map(({ index }) => index));
}

function inputWords(file: string): readonly string[] {
  return [...MEDIA_GLOBAL_OPTIONS, ...MEDIA_INPUT_OPTIONS, '-of', 'json=c=1', '--', mediaUrl(file)];
}

function parseReport(text: string): FfprobeReport | null {
  try {
    return ffprobeReport.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

function unreadableOutput(): ProbeFailure {
  return new ProbeFailure('tool_output_invalid', 'ffprobe answered in an unknown form');
}
