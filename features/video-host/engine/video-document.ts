import { z } from 'zod';
import { labelLine } from '../../../contract/base/grammar.ts';
import { parseToolJson } from '../../../executors/process/tools.ts';

const text = z.string().nullish();
const number = z.number().nullish();

/** One format of yt-dlp's description. A codec of `none` says that there is no such track; null, that it is unknown. */
const describedFormat = z.object({
  format_id: z.string(),
  url: text,
  protocol: text,
  vcodec: text,
  acodec: text,
  width: number,
  height: number,
  language: text,
  language_preference: number,
  has_drm: z.union([z.boolean(), z.string()]).nullish(),
  http_headers: z.record(z.string(), z.string()).nullish(),
});

const video = z.object({
  id: z.string(),
  title: text,
  creator: text,
  uploader: text,
  channel: text,
  webpage_url: text,
  duration: number,
  is_live: z.boolean().nullish(),
  live_status: text,
  availability: text,
  age_limit: number,
  extractor: z.string(),
  formats: z.array(describedFormat).nullish(),
});

const answer = z.union([
  z.object({ _type: z.literal('playlist'), entries: z.array(z.unknown()) }),
  z.object({ _type: z.literal('video').nullish() }),
]);

export type DescribedFormat = z.infer<typeof describedFormat>;
export type DescribedVideo = z.infer<typeof video>;

/**
 * Reads what `yt-dlp -J` printed: `several` for anything but one video, null for what has no known form. It is a tool's
 * output, not our wire: keys that are not needed are let through unread.
 */
export function readVideoDocument(stdout: string): DescribedVideo | 'several' | null {
  const document = parsed(stdout);
  const kind = answer.safeParse(document);
  if (!kind.success) return null;
  if (kind.data._type !== 'playlist') return videoOf(document);
  const [only, ...more] = kind.data.entries;
  return more.length > 0 || only === undefined ? 'several' : videoOf(only);
}

/** Text from a host as one clean line, or null when nothing is left. */
export function cleanLine(line: string | null | undefined): string | null {
  const clean = labelLine(line ?? '');
  return clean === '' ? null : clean;
}

function videoOf(document: unknown): DescribedVideo | null {
  const read = video.safeParse(document);
  return read.success ? read.data : null;
}

function parsed(stdout: string): unknown {
  try {
    return parseToolJson(stdout);
  } catch {
    return null;
  }
}

// The protocols that ffmpeg reads through the proxy. Others would need protocols that it cannot pass, or cannot be cut.
const PROTOCOLS = ['http', 'https'];

// Only where ffmpeg lives in a network of its own, since a playlist can lead it past the proxy.
const PLAYLISTS = ['m3u8', 'm3u8_native'];

// A range is encoded again; more lines than these would take longer than a download may.
const TALLEST = 1080;

const MOST_LANGUAGES = 8;

/**
 * Chooses the formats of a download. `formats` are ordered as yt-dlp orders them, the best last. The choice is one format that
 * holds everything, or one with the picture alone and then the best of each language of sound. The original comes first, eight at
 * most. Empty when nothing can be taken.
 */
export function chooseFormats(
  formats: readonly DescribedFormat[],
  { ownNetwork }: { readonly ownNetwork: boolean },
): readonly DescribedFormat[] {
  const protocols = ownNetwork ? [...PROTOCOLS, ...PLAYLISTS] : PROTOCOLS;
  const usable = formats.filter((format) => protocols.includes(format.protocol ?? '') && isUsable(format));
  const sounds = bestOfEachLanguage(usable.filter(({ vcodec, acodec }) => vcodec === 'none' && acodec !== 'none'));
  // If there are formats of sound alone, a picture format with unknown sound counts as silent.
  const isSilent = ({ acodec }: DescribedFormat) => acodec === 'none' || (acodec == null && sounds.length > 0);
  const pictures = usable.filter((format) => format.vcodec !== 'none' && isSilent(format));
  const whole = bestPicture(usable.filter((format) => format.vcodec !== 'none' && !isSilent(format)));
  const picture = bestPicture(pictures);
  if (picture !== null && sounds.length > 0 && (whole === null || sounds.length > 1 || isTaller(picture, whole))) {
    return [picture, ...sounds];
  }
  if (whole !== null) return [whole];
  return picture === null ? sounds : [picture];
}

/** The words of yt-dlp that select exactly these formats, by id alone. */
export function formatSelector(formatIds: readonly string[]): string {
  return formatIds.map((id) => `b*[format_id=${id}]`).join('+');
}

function isUsable({ format_id, url, vcodec, acodec, has_drm }: DescribedFormat): boolean {
  // Only ids that a selector cannot read as anything else.
  if (!/^[A-Za-z0-9._-]{1,100}$/.test(format_id) || !/^https?:\/\//i.test(url ?? '')) return false;
  return has_drm !== true && (vcodec !== 'none' || acodec !== 'none');
}

function bestPicture(formats: readonly DescribedFormat[]): DescribedFormat | null {
  const fitting = formats.filter(({ height }) => (height ?? 0) <= TALLEST);
  const smallest = [...formats].sort((one, other) => (one.height ?? 0) - (other.height ?? 0));
  return fitting.at(-1) ?? smallest[0] ?? null;
}

function isTaller(one: DescribedFormat, other: DescribedFormat): boolean {
  return (one.height ?? 0) > (other.height ?? 0);
}

function bestOfEachLanguage(sounds: readonly DescribedFormat[]): DescribedFormat[] {
  // A playlist may list the same sound twice, once without its language.
  const named = new Set(sounds.filter(({ language }) => language != null).map(({ url }) => url));
  const best = new Map<string, DescribedFormat>();
  for (const sound of sounds) {
    if (sound.language != null || !named.has(sound.url)) best.set((sound.language ?? '').toLowerCase(), sound);
  }
  const byPreference = [...best.values()].sort(
    (one, other) => (other.language_preference ?? -1) - (one.language_preference ?? -1),
  );
  return byPreference.slice(0, MOST_LANGUAGES);
}
