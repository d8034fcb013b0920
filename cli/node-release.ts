import { failed, ok, weak } from '../actors/operation/host-checks.ts';
import type { HostFinding } from '../contract/operation.ts';

/** The oldest Node that runs the host, as `package.json` says. */
const oldestNode = [20, 19] as const;

const remedy = 'install Node 24';

/**
 * The day of the last fixes of each release line that has ended and still runs the host, by its major version.
 * Source: the release schedule of the Node.js project.
 */
const ended: Readonly<Record<number, string>> = { 20: '2026-04-30' };

/** A sentence about a Node without security fixes, with the remedy; null for any other. `version` is `process.versions.node`. */
export function endedNode(version: string): string | null {
  const { state, detail } = nodeFinding(version);
  return state === 'weak' ? `node ${detail}; ${remedy}` : null;
}

/** The finding of `doctor` on a version of Node. */
export function nodeFinding(version: string): HostFinding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isOld = major < oldestNode[0] || (major === oldestNode[0] && minor < oldestNode[1]);
  if (isOld) return failed('node', `v${version}, and ${oldestNode.join('.')} is needed`, remedy);
  const day = ended[major];
  if (day === undefined) return ok('node', `v${version}`);
  return weak('node', `v${version}, which has had no security fixes since ${day}`, remedy);
}
