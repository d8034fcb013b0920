import { ok, weak } from '../../actors/operation/host-checks.ts';
import type { ToolIdentity } from '../../contract/base/artifact.ts';
import type { HostFinding } from '../../contract/operation.ts';
import type { ResolvedVideo } from '../../contract/sources/videohost-resolution.ts';
import type { Launcher } from '../../executors/process/process.ts';
import {
  type Environment,
  type ResolvedTool,
  resolveTool,
  type ToolMemory,
  type ToolQuestion,
} from '../../executors/process/tools.ts';
import { downloadRange } from './engine/download-range.ts';
import { resolveVideo } from './engine/resolve-video.ts';
import type { DownloadedRange, DownloadRequest, ResolveRequest, VideoHostDeps } from './engine/video-host.ts';

const toolName = 'yt-dlp';

const question: ToolQuestion = {
  environmentVariable: 'MEDIA_STUDY_YTDLP',
  versionArgs: ['--ignore-config', '--version'],
  parseVersion: (stdout) => /^(\d{4}\.\d{2}\.\d{2}\S{0,100})\s*$/.exec(stdout)?.[1] ?? null,
  pythonPackage: 'yt_dlp',
};

/** The way to a host with a downloader. */
export const downloaderRemedy = `install ${toolName}, or name it by ${question.environmentVariable}`;

/** Finds the downloader by its variable or on PATH. A host works without one. */
export const findDownloader = (launcher: Launcher, environment: Environment, memory?: ToolMemory) =>
  resolveTool(launcher, environment, toolName, question, memory);

/** yt-dlp itself begins to warn of its age after 90 days. */
const oldAfterDays = 90;
const dayMs = 24 * 60 * 60 * 1000;

/** Says that a tool whose version begins with its date is old; null while it is not. `now` in epoch ms. */
export function ageNote({ name, version }: ToolIdentity, now: number): string | null {
  const [, year, month, day] = /^(\d{4})\.(\d{2})\.(\d{2})/.exec(version) ?? [];
  if (year === undefined) return null;
  const days = Math.floor((now - Date.UTC(Number(year), Number(month) - 1, Number(day))) / dayMs);
  return days > oldAfterDays
    ? `${name} ${version} is ${days.toLocaleString('en')} days old; install a newer one, because video hosts change`
    : null;
}

/** A finding on a downloader that answers; `now` in epoch ms tells whether it is old. */
export function downloaderFinding({ identity, path }: ResolvedTool, now: number): HostFinding {
  const age = ageNote(identity, now);
  return age === null ? ok(identity.name, `${identity.version} at ${path}`) : weak(identity.name, path, age);
}

/** A finding on a machine without a downloader. */
export const missingDownloader = (why: string): HostFinding => weak(toolName, why, downloaderRemedy);

/** From this version on, an address cannot tell yt-dlp to leave the proxy out (CVE-2023-46121). */
const firstSteadfastVersion = '2023.11.14';

/** The facts that decide which video hosts a start may offer. */
interface DownloaderReach {
  /** Null if there is none, or none that is safe here. */
  readonly ytdlp: ResolvedTool | null;
  /** The reason why there is none, in words for clients; null if there is one. */
  readonly whyOff: string | null;
  readonly openOrigin: string | null;
  /** Lines for people: what is refused, why, and what mends it. */
  readonly refusals: readonly string[];
}

/**
 * Refuses whatever could reach past the proxy. In a network of its own a downloader reaches nothing else, whatever its arguments
 * are. In the machine's network an address can steer an old version, and any page can steer generic extraction.
 */
export function downloaderReach(
  { ytdlp, openOrigin }: Pick<DownloaderReach, 'ytdlp' | 'openOrigin'>,
  ownNetwork: boolean,
): DownloaderReach {
  const missing = ytdlp === null ? 'no yt-dlp answers on this machine' : null;
  if (ownNetwork) return { ytdlp, whyOff: missing, openOrigin, refusals: [] };
  const unsafe = ytdlp === null ? null : whyUnsafe(ytdlp);
  const refusals = [
    ...(unsafe === null ? [] : [`video hosts are off: ${unsafe}; install yt-dlp ${firstSteadfastVersion} or newer`]),
    ...(openOrigin === null
      ? []
      : [
          `${openOrigin} is refused as a video host: generic extraction can be led past the host's proxy, and this machine gives yt-dlp no isolated network`,
        ]),
    ...(ytdlp === null || unsafe !== null
      ? []
      : ['video hosts: playlists (HLS) are refused, because this machine gives ffmpeg no network of its own']),
  ];
  return { ytdlp: unsafe === null ? ytdlp : null, whyOff: missing ?? unsafe, openOrigin: null, refusals };
}

/** Why a version must not be used in the machine's network; null where it may. */
function whyUnsafe({ identity: { version } }: ResolvedTool): string | null {
  if (version.slice(0, firstSteadfastVersion.length) >= firstSteadfastVersion) return null;
  return `yt-dlp ${version} can be led past the host's proxy, and this machine gives it no network of its own`;
}

/** The downloader as the ingests see it. Both steps reject with `VideoHostFailure`. */
export interface VideoFetching {
  resolve(request: ResolveRequest, signal: AbortSignal): Promise<ResolvedVideo>;
  download(request: DownloadRequest, signal: AbortSignal): Promise<DownloadedRange>;
  /** The tool that resolves. */
  readonly resolver: ToolIdentity;
  /** The tools that fetch and cut. */
  readonly downloaders: readonly ToolIdentity[];
}

/** The downloader with the tools that it is given. */
export const videoFetching = (deps: VideoHostDeps): VideoFetching => ({
  resolve: (request, signal) => resolveVideo(deps, request, signal),
  download: (request, signal) => downloadRange(deps, request, signal),
  resolver: deps.ytdlp.identity,
  downloaders: [deps.ytdlp.identity, deps.ffmpeg.identity],
});
