import type { ResolvedTool } from '../../../executors/process/tools.ts';

/** From this version on, an address cannot tell yt-dlp to leave the proxy out (CVE-2023-46121). */
const firstSteadfastVersion = '2023.11.14';

/** What of the video hosts a start may offer. */
export interface DownloaderReach {
  /** Null where there is none, or none that is safe here. */
  readonly ytdlp: ResolvedTool | null;
  readonly openOrigin: string | null;
  /** Lines for people: what is refused, why, and what mends it. */
  readonly refusals: readonly string[];
}

/**
 * Refuses what could reach past the proxy. In a network of its own a downloader reaches nothing else, whatever it is told;
 * in the machine's network, an old version can be steered by an address, and generic extraction by any page.
 */
export function downloaderReach(
  { ytdlp, openOrigin }: Pick<DownloaderReach, 'ytdlp' | 'openOrigin'>,
  ownNetwork: boolean,
): DownloaderReach {
  if (ownNetwork) return { ytdlp, openOrigin, refusals: [] };
  const { version } = ytdlp?.identity ?? { version: firstSteadfastVersion };
  const isSteadfast = version.slice(0, firstSteadfastVersion.length) >= firstSteadfastVersion;
  const refusals = [
    ...(isSteadfast
      ? []
      : [
          `video hosts are off: yt-dlp ${version} can be led past the host's proxy, and this machine gives it no network of its own; install yt-dlp ${firstSteadfastVersion} or newer`,
        ]),
    ...(openOrigin === null
      ? []
      : [
          `${openOrigin} is refused as a video host: generic extraction can be led past the host's proxy, and this machine gives yt-dlp no network of its own`,
        ]),
    ...(ytdlp === null || !isSteadfast
      ? []
      : ['video hosts: playlists (HLS) are refused, because this machine gives ffmpeg no network of its own']),
  ];
  return { ytdlp: isSteadfast ? ytdlp : null, openOrigin: null, refusals };
}
