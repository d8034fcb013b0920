import type { ToolIdentity } from '../../contract/base/artifact.ts';
import type { Clock } from '../../contract/base/clock.ts';
import type { Engine, HostChecksAnswer, HostFinding } from '../../contract/operation.ts';
import { describeSandbox, type ProcessSandbox } from '../../executors/process/process-sandbox.ts';
import type { ResolvedTool } from '../../executors/process/tools.ts';
import type { EngineRecord } from '../engines/engine-registry.ts';
import { reservedBytes } from '../sources/required-space.ts';

const mebibyte = 1024 * 1024;
/** Room for a few ingests of the size of a broadcast. */
const comfortableBytes = 2048 * mebibyte;

export const ok = (check: string, detail: string): HostFinding => ({ check, state: 'ok', detail, remedy: null });
export const weak = (check: string, detail: string, remedy: string): HostFinding => ({
  check,
  state: 'weak',
  detail,
  remedy,
});
export const failed = (check: string, detail: string, remedy: string): HostFinding => ({
  check,
  state: 'failed',
  detail,
  remedy,
});

/** A finding on the room for ingests on the volume of a data root. */
export function spaceFindingOf(freeBytes: number, folder: string): HostFinding {
  const detail = `${Math.floor(freeBytes / mebibyte)} MiB free at ${folder}`;
  const remedy = 'make room on the volume of the data root';
  if (freeBytes < reservedBytes) return failed('space', detail, remedy);
  return freeBytes < comfortableBytes ? weak('space', detail, remedy) : ok('space', detail);
}

/** A finding on the limits around tools that this machine has. */
export function sandboxFinding(sandbox: ProcessSandbox): HostFinding {
  const words = describeSandbox(sandbox).replace(/^process sandbox: /, '');
  return words === 'complete'
    ? ok('sandbox', words)
    : weak('sandbox', words, 'install util-linux, or allow user namespaces');
}

/** A tool that answers. */
export const toolFinding = ({ identity, path }: ResolvedTool): HostFinding =>
  ok(identity.name, `${identity.version} at ${path}`);

interface HostChecksOptions {
  readonly clock: Clock;
  readonly sandbox: ProcessSandbox;
  /** The media tools that the host found when it started. */
  readonly tools: readonly ResolvedTool[];
  /** The tools that compute in the detector process. */
  readonly detectors: readonly ToolIdentity[];
  /** The findings of the features of the host. */
  readonly further: () => readonly HostFinding[];
  readonly root: string;
  readonly freeBytes: () => Promise<number>;
  /** The engines of now. */
  readonly engines: () => readonly Engine[];
  /** The named engines with what their last use found. */
  readonly used: () => readonly EngineRecord[];
}

/** A named engine whose last use failed. One without a use is not tried for an answer. */
function useFinding({ place, last }: EngineRecord): HostFinding[] {
  if (last?.failure == null) return [];
  return [weak(place, last.failure, 'correct the engine or the settings that name it; its next use tries it again')];
}

/** The findings of a host on its machine while it runs: the lines of `doctor` that need no other process. */
export class HostChecks {
  readonly #options: HostChecksOptions;

  constructor(options: HostChecksOptions) {
    this.#options = options;
  }

  /** The tools as they were at the start, and the free space of now. */
  async read(): Promise<HostChecksAnswer> {
    const { clock, engines } = this.#options;
    const checkedAt = new Date(clock.now()).toISOString();
    return { schema: 'studio.host-checks.v1', checkedAt, checks: await this.#findings(), engines: [...engines()] };
  }

  async #findings(): Promise<HostFinding[]> {
    const { sandbox, tools, detectors, used, further, root, freeBytes } = this.#options;
    return [
      ...tools.map(toolFinding),
      ...further(),
      ...detectors.map(({ name, version }) => ok(name, version)),
      ...used().flatMap(useFinding),
      sandboxFinding(sandbox),
      spaceFindingOf(await freeBytes(), root),
    ];
  }
}
