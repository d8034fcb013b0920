import { randomBytes } from 'node:crypto';
import type { SandboxedLauncher } from '../../../executors/process/launcher.ts';
import type { ResolvedTool } from '../../../executors/process/tools.ts';
import { lookupAddresses } from '../../../executors/videohost/video-host.ts';
import { WorkQueue } from '../../supervision/work-queue.ts';
import { downloaderReach } from './downloader-reach.ts';
import { type OpenVideohostIngestsOptions, openVideohostIngests } from './open-videohost-ingests.ts';
import { ageNote } from './tool-age.ts';
import { videoFetching } from './video-fetching.ts';
import { VideoHosts, type VideoHostsOptions } from './video-hosts.ts';
import type { VideohostIngests } from './videohost-ingests.ts';

/** What a host is told of video hosts when it starts. */
export interface VideohostSettings extends VideoHostsOptions {
  readonly maximumRangeMs: number;
  /** How many ranges are fetched at once. */
  readonly workers: number;
}

type Supplied = 'queue' | 'hosts' | 'fetching' | 'remark' | 'maximumRangeMs';

export interface VideohostServiceOptions extends Omit<OpenVideohostIngestsOptions, Supplied> {
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

/** Stands for the ingests of video hosts where there is no yt-dlp that answers, or none that is safe here. */
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
  const { maximumRangeMs } = settings;
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
    maximumRangeMs,
  });
  return whyOff === null
    ? { ingests, begin: () => queue.open(), queue }
    : { ingests: { whyOff }, begin: () => undefined, queue };
}
