import { languageTag } from '../../../contract/base/grammar.ts';
import type { ResolvedVideo } from '../../../contract/sources/videohost-resolution.ts';
import { MEMORY_BYTES, ProcessFailure, type ProcessLimits } from '../../../executors/process/process.ts';
import { parseToolJson } from '../../../executors/process/tools.ts';
import { ffprobeReport, milliseconds } from '../../../executors/sources/ffprobe-report.ts';
import { behindProxy, verdictOfProxy } from './behind-proxy.ts';
import type { FilteringProxy } from './filtering-proxy.ts';
import {
  chooseFormats,
  cleanLine,
  type DescribedFormat,
  type DescribedVideo,
  readVideoDocument,
} from './video-document.ts';
import { type ResolveRequest, type ResolveVideo, type VideoHostDeps, VideoHostFailure } from './video-host.ts';
import { remoteInputOptions, YTDLP_MEMORY_BYTES, ytdlpLimits, ytdlpWords } from './ytdlp-command.ts';

const LIMITS: ProcessLimits = {
  wallMs: 20_000,
  cpuSeconds: 20,
  fileSizeBytes: 1024 * 1024,
  stdoutBytes: 1024 * 1024,
  stderrBytes: 1024 * 1024,
  memoryBytes: MEMORY_BYTES.packets,
};

/**
 * Measures the length of a format on a host, in milliseconds, by its header and through the proxy. Rejects with
 * `VideoHostFailure`: `no_media` if it is not media, `duration_unknown` if it states no length.
 */
async function measureRemoteDuration(
  deps: Pick<VideoHostDeps, 'launcher' | 'ffprobe' | 'ownNetwork'>,
  format: DescribedFormat,
  proxy: FilteringProxy,
  signal: AbortSignal,
): Promise<number> {
  const args = [
    ...['-v', 'error', '-hide_banner', '-show_entries', 'format=format_name,duration', '-of', 'json=c=1'],
    ...[...remoteInputOptions(deps), ...headerOptions(format), '--', format.url ?? ''],
  ];
  try {
    const { stdout } = await deps.launcher.run({ tool: deps.ffprobe.path, args, limits: LIMITS, signal, proxy });
    const durationMs = durationOf(stdout.toString('utf8'));
    if (durationMs === null)
      throw new VideoHostFailure('duration_unknown', 'the host states no duration, nor does its media');
    return durationMs;
  } catch (error) {
    if (!(error instanceof ProcessFailure) || error.reason !== 'tool_exit') throw error;
    throw (
      verdictOfProxy(proxy.findings, error) ??
      new VideoHostFailure('no_media', 'the answer of the host is not media', error)
    );
  }
}

/** The headers that the host's own player would send. */
function headerOptions({ http_headers }: DescribedFormat): readonly string[] {
  const headers = Object.entries(http_headers ?? {}).filter((pair) => pair.every((word) => !/\p{Cc}/u.test(word)));
  return headers.length === 0 ? [] : ['-headers', headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')];
}

function durationOf(stdout: string): number | null {
  try {
    return milliseconds(ffprobeReport.parse(parseToolJson(stdout)).format?.duration);
  } catch {
    return null;
  }
}

const WALL_MS = 60_000;

// Pages and scripts of a host, and the head of one format; not the media.
const MOST_BYTES = 128 * 1024 * 1024;

const LIVE = ['is_live', 'is_upcoming', 'post_live'];
const RESTRICTED = ['needs_auth', 'private', 'premium_only', 'subscriber_only'];
const ADULT_YEARS = 18;

export const resolveVideo: ResolveVideo = (deps, request, signal) =>
  behindProxy(deps, MOST_BYTES, async (proxy) => {
    const video = await describe(deps, request, proxy, signal);
    const formats = availableFormats(video, deps);
    const stated = video.duration ?? 0;
    const measured = stated > 0 ? null : await measureRemoteDuration(deps, formats[0], proxy, signal);
    return {
      externalId: externalIdOf(video),
      canonicalUrl: canonicalUrlOf(video, request.url),
      title: cleanLine(video.title),
      creator: cleanLine(video.creator ?? video.channel ?? video.uploader),
      durationMs: measured ?? Math.max(1, Math.round(stated * 1000)),
      durationSource: measured === null ? 'metadata' : 'measured',
      extractor: video.extractor,
      formats: formats.map(chosenFormat),
    };
  });

async function describe(
  deps: VideoHostDeps,
  request: ResolveRequest,
  proxy: FilteringProxy,
  signal: AbortSignal,
): Promise<DescribedVideo> {
  const args = [
    ...ytdlpWords(request, deps),
    // A video that may not be downloaded is still described, which says more than the error would.
    ...['--dump-single-json', '--ignore-no-formats-error', '--', request.url],
  ];
  const limits = ytdlpLimits(request.wallMs ?? WALL_MS, MOST_BYTES, YTDLP_MEMORY_BYTES.resolve);
  const { stdout } = await deps.launcher.run({ tool: deps.ytdlp.path, args, limits, signal, proxy });
  const video = readVideoDocument(stdout.toString('utf8'));
  if (video === null) throw new VideoHostFailure('tool_output', 'yt-dlp described the video in an unknown form');
  if (video === 'several') throw new VideoHostFailure('not_one_video', 'the address names a list');
  return video;
}

function availableFormats(
  video: DescribedVideo,
  deps: VideoHostDeps,
): readonly [DescribedFormat, ...DescribedFormat[]] {
  if (video.is_live === true || LIVE.includes(video.live_status ?? '')) {
    throw new VideoHostFailure('live_stream', 'the video is, was just now, or will be live');
  }
  const [first, ...more] = chooseFormats(video.formats ?? [], deps);
  if (first !== undefined) return [first, ...more];
  if (RESTRICTED.includes(video.availability ?? '') || (video.age_limit ?? 0) >= ADULT_YEARS) {
    throw new VideoHostFailure('login_required', 'the host shows the video to some of its members only');
  }
  throw new VideoHostFailure('no_media', 'the host offers no format that can be downloaded');
}

function externalIdOf({ id }: DescribedVideo): string {
  const clean = cleanLine(id);
  if (clean === null || clean.length > 200) throw new VideoHostFailure('tool_output', 'the video has no usable id');
  return clean;
}

/** The host's own address of the video; the requested one if the host states none that can be kept. */
function canonicalUrlOf({ webpage_url }: DescribedVideo, askedUrl: string): string {
  const stated = webpage_url ?? '';
  const url = URL.canParse(stated) ? new URL(stated) : null;
  const isKept = url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
  return isKept && url.href.length <= 2048 ? url.href : new URL(askedUrl).href;
}

function chosenFormat({ format_id, language, width, height }: DescribedFormat): ResolvedVideo['formats'][number] {
  const tag = languageTag.safeParse(language);
  return {
    formatId: format_id,
    language: tag.success ? tag.data : null,
    width: pixels(width),
    height: pixels(height),
  };
}

function pixels(count: number | null | undefined): number | null {
  return count != null && Number.isSafeInteger(count) && count > 0 ? count : null;
}
