import path from 'node:path';

// Containers that hold their own media. Absent on purpose: everything that names other files or hosts (hls, dash, concat,
// sdp, image sequences), whatever its file name says.
const FORMATS = [
  ...['mov', 'mp4', 'm4a', '3gp', '3g2', 'mj2', 'matroska', 'webm', 'avi', 'flv', 'asf', 'mpegts', 'mpeg', 'mxf', 'dv'],
  ...[
    'mp3',
    'wav',
    'w64',
    'flac',
    'ogg',
    'aac',
    'aiff',
    'caf',
    'amr',
    'ac3',
    'eac3',
    'dts',
    'dtshd',
    'au',
    'wv',
    'tta',
  ],
];

/** The most streams that a container may have; more are work without use. */
export const MAXIMUM_STREAMS = 64;

/**
 * Input options and the input of one untrusted media file, for ffmpeg. It opens this file and no other: only the `file` protocol
 * and only self-contained formats. It never reads the name as a URL, an option or a pattern.
 */
export function mediaInput(file: string): readonly string[] {
  return [...MEDIA_INPUT_OPTIONS, '-i', mediaUrl(file)];
}

// Less than a tick of the clocks of MPEG and Ogg, so that no time changes by it.
const LEAST_SHIFT_SECONDS = '0.000001';

/** The zero of the times of `timedInput`, as the parameter of an operation states it. */
export const TIMES_FROM = 'the start of the container';

/**
 * The same input with times that count from the start of its container, whichever of its tracks are in use. Without this, ffmpeg
 * counts an MPEG or Ogg stream that it reads from the beginning from the first sample of the tracks in use. It does not
 * if it seeks, nor if a shift is given (`ts_offset` in its `ffmpeg.c`).
 */
export const timedInput = (file: string): readonly string[] => ['-itsoffset', LEAST_SHIFT_SECONDS, ...mediaInput(file)];

/** ffmpeg's names of the formats of subtitle files, and of the codecs that these may hold. */
const SUBTITLE_INPUTS = {
  srt: { format: 'srt', codecs: 'subrip,srt' },
  webvtt: { format: 'webvtt', codecs: 'webvtt' },
  ass: { format: 'ass', codecs: 'ass,ssa' },
} as const;

/** Input options and the input of one untrusted subtitle file, a `file:` URL, which is read as this format and no other. */
export function subtitleInput(url: string, format: keyof typeof SUBTITLE_INPUTS): readonly string[] {
  const { format: name, codecs } = SUBTITLE_INPUTS[format];
  const only = ['-protocol_whitelist', 'file', '-format_whitelist', name, '-codec_whitelist', codecs];
  return [...only, '-f', name, '-i', url];
}

/** The same limits as option words alone, for ffprobe, which takes its input last. */
export const MEDIA_INPUT_OPTIONS: readonly string[] = [
  ...['-protocol_whitelist', 'file'],
  ...['-format_whitelist', FORMATS.join(',')],
  // Seen enough to know every track, bounded so that a hostile file cannot keep the tool looking.
  ...['-probesize', '20M', '-analyzeduration', '20M'],
  ...['-max_streams', String(MAXIMUM_STREAMS)],
];

/** Bounds one allocation inside ffmpeg and ffprobe (bytes): more than any frame within the picture limits needs. */
export const MEDIA_GLOBAL_OPTIONS: readonly string[] = ['-hide_banner', '-max_alloc', String(256 * 1024 * 1024)];

/** An absolute local path as ffmpeg's own `file:` URL. */
export function mediaUrl(file: string): string {
  return `file:${path.resolve(file)}`;
}

/**
 * Options in front of an input by which ffmpeg enters it at a whole second, and drops what it decodes before. A file is read from
 * its start without a seek. That would go to the first key frame of its picture, and drop all sound in front of it.
 */
export const enteredAt = (seek: number): readonly string[] =>
  seek === 0 ? [] : ['-accurate_seek', '-ss', String(seek)];
