import type { ResolvedTool } from '../../../executors/process/tools.ts';

/** From this version on, an address cannot tell yt-dlp to leave the proxy out (CVE-2023-46121). */
const firstSteadfastVersion = '2023.11.14';

/** What of the video hosts a start may offer. */
export interface DownloaderReach {
  /** Null where there is none, or none that is safe here. */
  readonly ytdlp: ResolvedTool | null;
  /** Why there is none, in words for clients; null where there is one. */
  readonly whyOff: string | null;
  readonly openOrigin: string | null;
  /** Lines for people: what is refused, why, and what mends it. */
  readonly refusals: readonly string[];
}

/**
 * Refuses what could reach past the proxy. In a network of its own a downloader reaches nothing else, whatever its arguments say;
 * in the machine's network, an old version can be steered by an address, and generic extraction by any page.
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
          `${openOrigin} is refused as a video host: generic extraction can be led past the host's proxy, and this machine gives yt-dlp no network of its own`,
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
