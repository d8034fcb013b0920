import type { HostOptions } from '../host-types.ts';
import { enginesOf } from '../operation/engines.ts';
import { HostChecks } from '../operation/host-checks.ts';
import type { openEngines } from './open-engines.ts';
import type { OpenStorage } from './open-storage.ts';

type Engines = Awaited<ReturnType<typeof openEngines>>;

export interface OpenedChecks {
  readonly checks: HostChecks;
  /** Every tool that this host works with. */
  readonly tools: readonly Engines['detectorTools']['speech'][];
}

/** What a host says of its machine and its engines. `whyNoDownloader` is null where videos are fetched. */
export function openChecks(
  options: HostOptions,
  { layout, objectStore }: OpenStorage,
  { launcher, tools, detectorTools, recognizer, screenTextReader }: Engines,
  whyNoDownloader: string | null,
): OpenedChecks {
  const found = [tools.ffmpeg, tools.ffprobe, tools.ytdlp].filter((tool) => tool !== null);
  const detectors = [detectorTools.speech, detectorTools.language];
  const engines = enginesOf({
    detectors: [tools.ffmpeg.identity, ...detectors],
    hasWorkers: options.workQueue != null,
    recognizer: options.recognizer ?? null,
    screenText: screenTextReader?.tools ?? [],
    captionExecutor: options.captionExecutor,
    translator: options.translator ?? null,
    explainer: options.explainer,
    downloader: whyNoDownloader === null ? (tools.ytdlp?.identity ?? null) : null,
    whyNoDownloader: whyNoDownloader ?? '',
  });
  return {
    checks: new HostChecks({
      ...{ clock: options.clock, sandbox: launcher.sandbox, tools: found, detectors, whyNoDownloader, engines },
      root: layout.root,
      freeBytes: () => objectStore.freeBytes(),
    }),
    tools: found.map((tool) => tool.identity).concat(detectors, recognizer?.tools ?? [], screenTextReader?.tools ?? []),
  };
}
