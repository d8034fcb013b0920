import { z } from 'zod';
import { languageTag } from '../../contract/base/grammar.ts';
import { languageNamed } from '../../contract/sources/language-name.ts';
import type { ProbedTrack } from '../../contract/sources/probe-result.ts';

type TrackType = ProbedTrack['type'];

/** The words of ffprobe's `-show_entries` that `ffprobeReport` reads. */
export const FFPROBE_ENTRIES = [
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

export type FfprobeStream = z.infer<typeof stream>;

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

export type FfprobeReport = z.infer<typeof ffprobeReport>;

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
 * Marks the audio tracks that the container flags as default. Where the first one is among them, or nothing is flagged, there
 * is nothing to say: players begin with the first.
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

/** What a container's clock shows at its first sample, in rounded ms before or after zero; 0 where it says nothing. */
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
