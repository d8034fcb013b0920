import { z } from 'zod';
import { languageTag } from '../../contract/base/grammar.ts';
import { languageNamed } from '../../contract/sources/languages.ts';
import type { ProbedTrack } from '../../contract/sources/media-probe.ts';
import { type Launcher, ProcessFailure, type ProcessLimits } from '../process/process.ts';
import { parseToolJson } from '../process/tools.ts';
import { wholeFileLimits } from './integrity-pass.ts';
import { MAXIMUM_STREAMS, MEDIA_GLOBAL_OPTIONS, MEDIA_INPUT_OPTIONS, mediaUrl } from './media-input.ts';
import { ProbeFailure } from './probe-failure.ts';

type TrackType = ProbedTrack['type'];

/** The words of ffprobe's `-show_entries` that `ffprobeReport` reads. */
const FFPROBE_ENTRIES = [
  'format=format_name,format_long_name,start_time,duration,bit_rate',
  'stream=index,codec_type,codec_name,codec_tag_string,width,height,sample_rate,channels,duration,nb_frames,nb_read_packets',
  'stream_tags=language,DURATION',
  'stream_disposition=attached_pic,default',
  'error=code',
].join(':');

const stream = z.object({
  index: z.number().int().nonnegative(),
  codec_type: z.string().optional(),
  codec_name: z.string().optional(),
  codec_tag_string: z.string().optional(),
  width: z.number().int().nonnegative().optional(),
  height: z.number().int().nonnegative().optional(),
  sample_rate: z.string().optional(),
  channels: z.number().int().nonnegative().optional(),
  duration: z.string().optional(),
  nb_frames: z.string().optional(),
  nb_read_packets: z.string().optional(),
  tags: z.object({ language: z.string().optional(), DURATION: z.string().optional() }).optional(),
  disposition: z.object({ attached_pic: z.number().optional(), default: z.number().optional() }).optional(),
});

type FfprobeStream = z.infer<typeof stream>;

/** ffprobe's JSON. It is a tool's output, not our wire: keys that are not needed are let through unread. */
export const ffprobeReport = z.object({
  streams: z.array(stream).default([]),
  format: z
    .object({
      format_name: z.string().min(1),
      format_long_name: z.string().default(''),
      start_time: z.string().optional(),
      duration: z.string().optional(),
      bit_rate: z.string().optional(),
    })
    .optional(),
  error: z.object({ code: z.number().int() }).optional(),
});

type FfprobeReport = z.infer<typeof ffprobeReport>;

// MP4 names these by the tag of their samples; ffmpeg 5 takes them for data of an unknown kind.
const TIMED_TEXT: ReadonlyMap<string, string> = new Map([
  ['stpp', 'ttml'],
  ['wvtt', 'wvtt'],
]);

const TRACK_TYPES: readonly string[] = ['video', 'audio', 'subtitle', 'attachment'] satisfies TrackType[];

/** One stream of the report in the probe's own words. */
export function trackOf(found: FfprobeStream): ProbedTrack {
  const sampleRate = positiveInteger(found.sample_rate);
  const timedText = found.codec_name === undefined ? TIMED_TEXT.get(found.codec_tag_string ?? '') : undefined;
  const type = timedText === undefined ? found.codec_type : 'subtitle';
  return {
    index: found.index,
    type: isTrackType(type) ? type : 'data',
    codec: timedText ?? found.codec_name ?? 'unknown',
    durationMs: milliseconds(found.duration) ?? clockMilliseconds(found.tags?.DURATION),
    ...(found.width && found.height ? { width: found.width, height: found.height } : {}),
    ...(sampleRate === null ? {} : { sampleRate }),
    ...(found.channels ? { channels: found.channels } : {}),
    language: languageOf(found.tags?.language),
    isCoverArt: found.disposition?.attached_pic === 1,
  };
}

/**
 * Marks the audio tracks that the container flags as default. If the first one is among them, or none is flagged, no mark is
 * needed: players begin with the first.
 */
export function withDefaultAudio(tracks: readonly ProbedTrack[], streams: readonly FfprobeStream[]): ProbedTrack[] {
  const flagged = new Set(streams.filter(({ disposition }) => disposition?.default === 1).map(({ index }) => index));
  const first = tracks.find(({ type }) => type === 'audio');
  const isOther = first !== undefined && !flagged.has(first.index);
  return tracks.map((track) =>
    isOther && track.type === 'audio' && flagged.has(track.index) ? { ...track, isDefault: true } : track,
  );
}

/** Seconds in decimal text as rounded milliseconds, or null when absent, not positive or beyond a safe integer. */
export function milliseconds(seconds: string | undefined): number | null {
  const rounded = Math.round(Number(seconds ?? Number.NaN) * 1000);
  return Number.isSafeInteger(rounded) && rounded > 0 ? rounded : null;
}

/** The time of a container's clock at its first sample, in rounded ms before or after zero; 0 if it states none. */
export function startOffset(seconds: string | undefined): number {
  const rounded = Math.round(Number(seconds ?? Number.NaN) * 1000);
  return Number.isSafeInteger(rounded) ? rounded : 0;
}

/** Decimal text as an integer above zero, or null. */
export function positiveInteger(text: string | undefined): number | null {
  const value = Number(text ?? Number.NaN);
  return Number.isSafeInteger(value) && value > 0 ? value : null;
}

// Matroska keeps a track's duration as a tag: `00:01:02.003000000`.
function clockMilliseconds(text: string | undefined): number | null {
  const parts = /^(\d{1,6}):(\d{2}):(\d{2}(?:\.\d+)?)$/.exec(text ?? '');
  if (parts === null) return null;
  return milliseconds(String(Number(parts[1]) * 3600 + Number(parts[2]) * 60 + Number(parts[3])));
}

// `und` is ISO 639's word for an undetermined language. A name that has not the shape of a tag becomes its tag.
function languageOf(stated: string | undefined): string | null {
  if (stated === undefined || stated === 'und') return null;
  return languageTag.safeParse(stated).success ? stated : languageNamed(stated);
}

function isTrackType(text: string | undefined): text is TrackType {
  return text !== undefined && TRACK_TYPES.includes(text);
}

// ffmpeg's names of formats that are refused, by what is wrong with them.
const NAMING_OTHERS = /^(hls|concat|dash|sdp|rtsp|imf|webm_dash_manifest|vobsub)$/;
const PICTURES = /^(gif|apng|ico|image2|image2pipe|jpegls|mpjpeg|\w+_pipe)$/;
const BARE_VIDEO = /^(h26[134]|hevc|vvc|m4v|mpegvideo|mjpeg|mjpeg_2000|vc1|av1|obu|dirac|cavsvideo|avs\d?|rawvideo)$/;
const TEXTS = /^(srt|ass|webvtt|microdvd|subviewer1?|sami|ttml|stl|scc|mpl2|vplayer|jacosub|pjs|realtext|lrc|tty)$/;

/**
 * The reason why ffprobe could not open a file, from its own error code and words. `knownContainer` is true if the first bytes
 * are those of a container that the probe reads.
 */
function probeRefusalOf(failure: ProcessFailure, errorCode: number | null, knownContainer: boolean): ProbeFailure {
  const { stderr } = failure;
  const format = /\[(\w{1,40})(?:,[\w,]*)? @ [^\]]*\] Format not on whitelist/.exec(stderr)?.[1];
  if (format !== undefined) return new ProbeFailure('format_not_allowed', wayIn(format), failure);
  if (errorCode === AVERROR_EINVAL) {
    return new ProbeFailure(
      'format_not_allowed',
      'ffprobe does not open it by the formats that are read here',
      failure,
    );
  }
  if (stderr.includes('exceeds max_streams')) {
    const remedy = 'keep those that matter with "ffmpeg -i IN -map 0:v:0 -map 0:a -c copy OUT.mkv"';
    return new ProbeFailure('too_many_streams', `more than ${MAXIMUM_STREAMS} streams; ${remedy}`, failure);
  }
  // ffmpeg's own picture limit strikes before there is any report.
  const size = /Picture size (\d+x\d+) is invalid/.exec(stderr)?.[1];
  if (size !== undefined) return new ProbeFailure('dimensions_too_large', `a picture of ${size.slice(0, 40)}`, failure);
  return knownContainer
    ? new ProbeFailure('container_damaged', damage(stderr), failure)
    : new ProbeFailure('not_media', 'no media container was found in the bytes', failure);
}

/** Why a container that is known cannot be opened, and what to do. Most writers of MP4 write its index when all else is written. */
function damage(stderr: string): string {
  return stderr.includes('moov atom not found')
    ? 'the file is incomplete: its index (moov) is missing; copy or download it again, or let the program that records it finish it'
    : 'the container cannot be opened; copy the file again';
}

const AVERROR_EINVAL = -22;

/** The kind of a refused format, and the way to bring its media in. */
function wayIn(format: string): string {
  if (NAMING_OTHERS.test(format)) return `"${format}" is a playlist or script that names other files; hand in these`;
  if (PICTURES.test(format)) {
    return `"${format}" is a picture; make a film of it with "ffmpeg -i IN -pix_fmt yuv420p OUT.mp4"`;
  }
  if (BARE_VIDEO.test(format)) {
    return `"${format}" is a bare stream without times; give it some with "ffmpeg -framerate 25 -i IN -c copy OUT.mkv"`;
  }
  if (TEXTS.test(format))
    return `"${format}" is text without picture and sound; attach subtitle files to the source whose words they are`;
  return `the format "${format}" is not read here; bring it in with "ffmpeg -i IN OUT.mkv"`;
}

const HEADER_LIMITS: ProcessLimits = { ...wholeFileLimits(0), wallMs: 20_000, cpuSeconds: 20 };

// ffprobe exits so when it cannot open its input; any other code is a fault of the tool, not of the media.
const REFUSED = 1;

// ffprobe states an estimate like a length of the container, and says so only here: it spread the bytes over the bit rate.
const ESTIMATE = /Estimating duration from bitrate/;

/** A report on a file that ffprobe could open. */
export type MediaReport = FfprobeReport & {
  readonly format: NonNullable<FfprobeReport['format']>;
  /** The length is an estimate of ffprobe: the file states none, or one that ffprobe does not believe. */
  readonly isEstimated: boolean;
};

/** Reads the header. Rejects with the `ProbeFailure` that ffprobe's own error code means. */
export async function readReport(
  launcher: Launcher,
  ffprobe: string,
  file: string,
  knownContainer: boolean,
  signal: AbortSignal,
): Promise<MediaReport> {
  const args = ['-v', 'warning', '-show_error', '-show_entries', FFPROBE_ENTRIES, ...inputWords(file)];
  try {
    const { stdout, stderr } = await launcher.run({ tool: ffprobe, args, limits: HEADER_LIMITS, signal });
    const report = parseReport(stdout.toString('utf8'));
    if (report?.format === undefined) throw unreadableOutput();
    return { ...report, format: report.format, isEstimated: ESTIMATE.test(stderr.toString('utf8')) };
  } catch (error) {
    if (!(error instanceof ProcessFailure) || error.exitCode !== REFUSED) throw error;
    throw probeRefusalOf(error, parseReport(error.stdout)?.error?.code ?? null, knownContainer);
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
