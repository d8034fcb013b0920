import { type Launcher, ProcessFailure, type ProcessLimits } from '../process/process.ts';
import { parseToolJson } from '../process/tool-json.ts';
import { FFPROBE_ENTRIES, type FfprobeReport, ffprobeReport, positiveInteger } from './ffprobe-output.ts';
import { wholeFileLimits } from './integrity-pass.ts';
import { MEDIA_GLOBAL_OPTIONS, MEDIA_INPUT_OPTIONS, mediaUrl } from './media-whitelists.ts';
import { ProbeFailure } from './probe-failure.ts';
import { refusalOf } from './probe-refusal.ts';

const HEADER_LIMITS: ProcessLimits = { ...wholeFileLimits(0), wallMs: 20_000, cpuSeconds: 20 };

// ffprobe exits so when it cannot open its input; any other code is a fault of the tool, not of the media.
const REFUSED = 1;

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
    throw refusalOf(error, parseReport(error.stdout)?.error?.code ?? null, knownContainer);
  }
}

/**
 * The indexes of the streams that hold packets. MP4 and its kin count them in the header; the file is
 * read for the count only where some stream lacks one.
 */
export async function countPackets(
  launcher: Launcher,
  ffprobe: string,
  { file, bytes, report }: { readonly file: string; readonly bytes: number; readonly report: MediaReport },
  signal: AbortSignal,
): Promise<ReadonlySet<number>> {
  const isCounted = report.format.format_name.split(',').includes('mp4');
  if (isCounted && report.streams.every(({ nb_frames }) => positiveInteger(nb_frames) !== null)) {
    return new Set(report.streams.map(({ index }) => index));
  }
  const args = ['-v', 'quiet', '-count_packets', '-show_entries', FFPROBE_ENTRIES, ...inputWords(file)];
  const { stdout } = await launcher.run({ tool: ffprobe, args, limits: wholeFileLimits(bytes), signal });
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
