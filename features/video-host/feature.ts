import { randomBytes } from 'node:crypto';
import type { HostCore } from '../../actors/host-feature.ts';
import { engineOff, toolName } from '../../actors/operation/engines.ts';
import { weak } from '../../actors/operation/host-checks.ts';
import { systemClock } from '../../actors/supervision/system-clock.ts';
import { WorkQueue } from '../../actors/supervision/work-queue.ts';
import type { Engine } from '../../contract/operation.ts';
import { describedService, type Feature, type ServedFeature } from '../feature.ts';
import {
  ageNote,
  downloaderFinding,
  downloaderReach,
  downloaderRemedy,
  findDownloader,
  missingDownloader,
  videoFetching,
} from './downloader.ts';
import { lookupAddresses } from './engine/video-host.ts';
import { fetchingIngestOf, maximumDownloadBytes } from './ingest-actor.ts';
import { followedIngests, openVideohostIngests } from './ingests.ts';
import { VideoHosts } from './known-hosts.ts';
import { usualRangeMs, type VideohostOptions, videohostFlags, videohostOptions } from './options.ts';
import { videohostIngestRoutes } from './routes.ts';

const mebibyte = 1024 * 1024;

/** Opens the ingests of video hosts with the downloader of this machine, if there is one. */
async function open(options: VideohostOptions, core: HostCore): Promise<ServedFeature> {
  const { launcher, environment, toolMemory, supervisor, progress, clock, report, grant } = core;
  const { ffmpeg, ffprobe } = core.tools;
  let { maximumRangeMs } = options;
  const answer = await findDownloader(launcher, environment, toolMemory);
  const installed = 'tool' in answer ? answer.tool : null;
  const ownNetwork = launcher.sandbox.network === 'own';
  const asked = { ytdlp: installed, openOrigin: options.openOrigin };
  const { ytdlp, whyOff, openOrigin, refusals } = downloaderReach(asked, ownNetwork);
  for (const line of refusals) report(line);
  const newSecret = () => randomBytes(32).toString('hex');
  const deps = { launcher, ffmpeg, ffprobe, lookup: lookupAddresses, openOrigin, ownNetwork, newSecret };
  const remark = ytdlp === null ? null : ageNote(ytdlp.identity, clock.now());
  if (remark !== null) report(remark);
  const queue = new WorkQueue(options.workers, grant);
  const service = openVideohostIngests({
    ...core,
    queue,
    hosts: new VideoHosts({ added: options.added, openOrigin }),
    fetching: ytdlp === null ? null : videoFetching({ ...deps, ytdlp }),
    remark,
    workFolder: core.layout.work,
    maximumRangeMs: () => maximumRangeMs,
  });
  const ingests = whyOff === null ? service : { whyOff };
  const row: Engine =
    whyOff !== null || ytdlp === null
      ? engineOff('video_hosts', whyOff ?? '')
      : {
          engine: 'video_hosts',
          isOn: true,
          name: toolName(ytdlp.identity),
          reach: 'outside',
          mayCost: false,
          text: 'the address of a video goes to its host when a client asks for a range of it',
          change: null,
          cause: null,
        };
  return {
    ingests: { 'videohost-ingest': followedIngests(ingests) },
    routes: () => videohostIngestRoutes(ingests, progress),
    announced: {
      videohostLocalIngest: {
        enabled: whyOff === null,
        maximumRangeMs,
        publication: 'private-local-processing-only',
      },
    },
    engineRows: () => [row],
    tools: installed === null ? [] : [installed.identity],
    findings: () => [
      ...(installed === null ? [] : [downloaderFinding(installed, clock.now())]),
      ...(whyOff === null ? [] : [weak('video hosts', whyOff, downloaderRemedy)]),
    ],
    queues: { videohosts: queue },
    isInUse: (name) => supervisor.isLive(fetchingIngestOf(name) ?? ''),
    changed: (given) => {
      ({ maximumRangeMs } = videohostOptions(given));
    },
    // Without a downloader ingests go on waiting, for a host that has one.
    begin: () => {
      if (whyOff === null) queue.open();
    },
  };
}

/** Fetches ranges of videos from video hosts. */
export const videoHost: Feature = {
  name: 'video-host',
  flags: { host: videohostFlags },
  options: (given) => {
    const options = videohostOptions(given);
    return () => ({ open: (core) => open(options, core) });
  },
  paths: () => videohostIngestRoutes(describedService(), describedService()),
  checks: async (environment, launcher) => {
    if (launcher === null) return [];
    const answer = await findDownloader(launcher, environment);
    return [
      'missing' in answer ? missingDownloader(answer.missing) : downloaderFinding(answer.tool, systemClock.now()),
    ];
  },
  limits: {
    'a range from a video host': `${usualRangeMs / 1000} s (\`--maximum-videohost-local-range-ms\`) and ${maximumDownloadBytes / mebibyte} MiB`,
  },
};
