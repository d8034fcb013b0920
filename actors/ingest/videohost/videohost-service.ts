import { randomBytes } from 'node:crypto';
import type { SandboxedLauncher } from '../../../executors/process/launcher.ts';
import type { ResolvedTool } from '../../../executors/process/tools.ts';
import { lookupAddresses } from '../../../executors/videohost/video-host.ts';
import { WorkQueue } from '../../supervision/work-queue.ts';
import { ageNote, VideoHosts, type VideoHostsOptions, videoFetching } from './video-hosts.ts';
import { type OpenVideohostIngestsOptions, openVideohostIngests, type VideohostIngests } from './videohost-ingests.ts';

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

/** The settings of a host for video hosts. */
export interface VideohostSettings extends VideoHostsOptions {
  /** How many ranges are fetched at once. */
  readonly workers: number;
}

type Supplied = 'queue' | 'hosts' | 'fetching' | 'remark';

interface VideohostServiceOptions extends Omit<OpenVideohostIngestsOptions, Supplied> {
  readonly settings: VideohostSettings;
  readonly launcher: SandboxedLauncher;
  readonly tools: {
    readonly ytdlp: ResolvedTool | null;
    readonly ffmpeg: ResolvedTool;
    readonly ffprobe: ResolvedTool;
  };
  /** Gives a waiting ingest its worker. */
  readonly grant: (ingestId: string) => void;
  readonly report: (line: string) => void;
}

/** The ingests of video hosts without a yt-dlp that works and is safe here. */
export interface VideohostsOff {
  /** Why, in words for clients. */
  readonly whyOff: string;
}

export interface VideohostService {
  readonly ingests: VideohostIngests | VideohostsOff;
  /** Lets waiting ingests start; without a downloader they go on waiting, for a host that has one. */
  begin(): void;
  readonly queue: WorkQueue;
}

/** Opens the ingests of video hosts with the downloader of this machine, if there is one. */
export function videohostService(options: VideohostServiceOptions): VideohostService {
  const { settings, launcher, tools, clock, grant, report } = options;
  const { ffmpeg, ffprobe } = tools;
  const ownNetwork = launcher.sandbox.network === 'own';
  const asked = { ytdlp: tools.ytdlp, openOrigin: settings.openOrigin };
  const { ytdlp, whyOff, openOrigin, refusals } = downloaderReach(asked, ownNetwork);
  for (const line of refusals) report(line);
  const newSecret = () => randomBytes(32).toString('hex');
  const deps = { launcher, ffmpeg, ffprobe, lookup: lookupAddresses, openOrigin, ownNetwork, newSecret };
  const remark = ytdlp === null ? null : ageNote(ytdlp.identity, clock.now());
  if (remark !== null) report(remark);
  const queue = new WorkQueue(settings.workers, grant);
  const ingests = openVideohostIngests({
    ...options,
    queue,
    hosts: new VideoHosts({ ...settings, openOrigin }),
    fetching: ytdlp === null ? null : videoFetching({ ...deps, ytdlp }),
    remark,
  });
  return whyOff === null
    ? { ingests, begin: () => queue.open(), queue }
    : { ingests: { whyOff }, begin: () => undefined, queue };
}
