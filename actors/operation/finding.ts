import type { ToolIdentity } from '../../contract/base/artifact.ts';
import type { HostFinding } from '../../contract/operation.ts';
import { describeSandbox, type ProcessSandbox } from '../../executors/process/process-sandbox.ts';
import { ageNote } from '../ingest/videohost/tool-age.ts';
import { reservedBytes } from '../sources/required-space.ts';

const mebibyte = 1024 * 1024;
/** Room for a few ingests of the size of a broadcast. */
const comfortableBytes = 2048 * mebibyte;

export const ok = (check: string, detail: string): HostFinding => ({ check, state: 'ok', detail, remedy: null });
export const weak = (check: string, detail: string, remedy: string): HostFinding => ({
  ...{ check, state: 'weak', detail, remedy },
});
export const failed = (check: string, detail: string, remedy: string): HostFinding => ({
  ...{ check, state: 'failed', detail, remedy },
});

/** Whether the volume of a data root has room for ingests. */
export function spaceFindingOf(freeBytes: number, folder: string): HostFinding {
  const detail = `${Math.floor(freeBytes / mebibyte)} MiB free at ${folder}`;
  const remedy = 'make room on the volume of the data root';
  if (freeBytes < reservedBytes) return failed('space', detail, remedy);
  return freeBytes < comfortableBytes ? weak('space', detail, remedy) : ok('space', detail);
}

/** Which of the limits around tools this machine has. */
export function sandboxFinding(sandbox: ProcessSandbox): HostFinding {
  const words = describeSandbox(sandbox).replace(/^process sandbox: /, '');
  return words === 'complete'
    ? ok('sandbox', words)
    : weak('sandbox', words, 'install util-linux, or allow user namespaces');
}

/** A tool that answers; `now` in epoch ms tells whether it is old. */
export function toolFinding(identity: ToolIdentity, path: string, now: number): HostFinding {
  const age = ageNote(identity, now);
  const detail = `${identity.version} at ${path}`;
  return age === null
    ? ok(identity.name, detail)
    : weak(identity.name, detail, `install a newer ${identity.name}: ${age}`);
}
