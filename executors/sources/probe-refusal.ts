import type { ProcessFailure } from '../process/process.ts';
import { MAXIMUM_STREAMS } from './media-whitelists.ts';
import { ProbeFailure } from './probe-failure.ts';

// ffmpeg's names of formats that are refused, by what is wrong with them.
const NAMING_OTHERS = /^(hls|concat|dash|sdp|rtsp|imf|webm_dash_manifest|vobsub)$/;
const PICTURES = /^(gif|apng|ico|image2|image2pipe|jpegls|mpjpeg|\w+_pipe)$/;
const BARE_VIDEO = /^(h26[134]|hevc|vvc|m4v|mpegvideo|mjpeg|mjpeg_2000|vc1|av1|obu|dirac|cavsvideo|avs\d?|rawvideo)$/;
const TEXTS = /^(srt|ass|webvtt|microdvd|subviewer1?|sami|ttml|stl|scc|mpl2|vplayer|jacosub|pjs|realtext|lrc|tty)$/;

/**
 * Why ffprobe could not open a file, from its own error code and words; `knownContainer` says that the first bytes are
 * those of a container that the probe reads.
 */
export function refusalOf(failure: ProcessFailure, errorCode: number | null, knownContainer: boolean): ProbeFailure {
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
    : 'the container cannot be opened; copy the file anew';
}

const AVERROR_EINVAL = -22;

/** What a refused format is, and how its media can be brought in. */
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
