import { z } from 'zod';
import { labelLine } from '../../contract/base/text.ts';
import { parseToolJson } from '../process/tool-json.ts';

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
