import { FFPROBE_ENTRIES, type FfprobeReport, ffprobeReport, positiveInteger } from './ffprobe-output.ts';
import { WHOLE_FILE_LIMITS } from './integrity-pass.ts';
import { MEDIA_GLOBAL_OPTIONS, MEDIA_INPUT_OPTIONS, mediaUrl } from './media-whitelists.ts';
import { ProbeFailure } from './probe-failure.ts';
import { type Launcher, ProcessFailure, type ProcessLimits } from './process.ts';
import { parseToolJson } from './tool-json.ts';

const HEADER_LIMITS: ProcessLimits = { ...WHOLE_FILE_LIMITS, wallMs: 20_000, cpuSeconds: 20 };

// ffprobe exits so when it cannot open its input; any other code is a fault of the tool, not of the media.
const REFUSED = 1;
const AVERROR_EINVAL = -22;

/** A report on a file that ffprobe could open. */
export type MediaReport = FfprobeReport & { readonly format: NonNullable<FfprobeReport['format']> };

/** Reads the header. Rejects with the `ProbeFailure` that ffprobe's own error code means. */
export async function readReport(
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
    if (!(error instanceof ProcessFailure) || error.exitCode !== REFUSED) throw error;
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
export async function countPackets(
  launcher: Launcher,
  ffprobe: string,
  file: string,
  report: MediaReport,
  signal: AbortSignal,
): Promise<ReadonlySet<number>> {
  const isCounted = report.format.format_name.split(',').includes('mp4');
  if (isCounted && report.streams.every(({ nb_frames }) => positiveInteger(nb_frames) !== null)) {
    return new Set(report.streams.map(({ index }) => index));
  }
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
    return ffprobeReport.parse(parseToolJson(text));
  } catch {
    return null;
  }
}

function unreadableOutput(): ProbeFailure {
  return new ProbeFailure('tool_output_invalid', 'ffprobe answered in an unknown form');
}
