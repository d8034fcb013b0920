import type { ToolIdentity } from '../../contract/base/artifact.ts';
import type { Clock } from '../../contract/base/clock.ts';
import type { Engine, HostChecksAnswer, HostFinding } from '../../contract/operation.ts';
import type { ProcessSandbox } from '../../executors/process/process-sandbox.ts';
import { ok, sandboxFinding, spaceFindingOf, toolFinding, weak } from './finding.ts';

interface HostChecksOptions {
  readonly clock: Clock;
  readonly sandbox: ProcessSandbox;
  /** The media tools that the host found when it started. */
  readonly tools: readonly { readonly identity: ToolIdentity; readonly path: string }[];
  /** What computes in the detector process. */
  readonly detectors: readonly ToolIdentity[];
  /** Why nothing is fetched from video hosts; null where it is. */
  readonly whyNoDownloader: string | null;
  readonly root: string;
  readonly freeBytes: () => Promise<number>;
  readonly engines: readonly Engine[];
}

/** What a host finds of its machine while it runs: the lines of `doctor` that need no other process. */
export class HostChecks {
  readonly #options: HostChecksOptions;

  constructor(options: HostChecksOptions) {
    this.#options = options;
  }

  /** The tools as they were at the start, and the free space of now. */
  async read(): Promise<HostChecksAnswer> {
    const { clock, engines } = this.#options;
    const checkedAt = new Date(clock.now()).toISOString();
    return { schema: 'studio.host-checks.v1', checkedAt, checks: await this.#findings(), engines: [...engines] };
  }

  async #findings(): Promise<HostFinding[]> {
    const { clock, sandbox, tools, detectors, whyNoDownloader, root, freeBytes } = this.#options;
    return [
      ...tools.map(({ identity, path }) => toolFinding(identity, path, clock.now())),
      ...(whyNoDownloader === null
        ? []
        : [weak('video hosts', whyNoDownloader, 'install yt-dlp, or name it by MEDIA_STUDY_YTDLP')]),
      ...detectors.map(({ name, version }) => ok(name, version)),
      sandboxFinding(sandbox),
      spaceFindingOf(await freeBytes(), root),
    ];
  }
}
