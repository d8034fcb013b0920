import { availableParallelism, type CpuInfo, cpus } from 'node:os';
import type { Clock } from '../../contract/base/clock.ts';
import { paused } from '../../formats/followed-signal.ts';

/** How long this machine is looked at, in ms: Linux counts the time of a core in steps of 10 ms. */
const lookMs = 200;

const totalOf = ({ times }: CpuInfo): number => times.user + times.nice + times.sys + times.idle + times.irq;

/**
 * The cores that were idle between two counts of the same cores, rounded; at least 1, and at most `most`. Cores that went on or off
 * meanwhile are left out.
 */
export function idleBetween(before: readonly CpuInfo[], after: readonly CpuInfo[], most: number): number {
  const idle = after.reduce((sum, core, at) => {
    const earlier = before[at];
    const spent = earlier === undefined ? 0 : totalOf(core) - totalOf(earlier);
    return earlier === undefined || spent <= 0 ? sum : sum + (core.times.idle - earlier.times.idle) / spent;
  }, 0);
  return Math.max(1, Math.min(most, Math.round(idle)));
}

/** The cores of this machine that are idle now, at least 1. Rejects with the reason of `signal` once that aborts. */
export async function idleCores(
  clock: Pick<Clock, 'setTimeout' | 'clearTimeout'>,
  signal: AbortSignal,
): Promise<number> {
  const before = cpus();
  await paused(clock, lookMs, signal);
  return idleBetween(before, cpus(), availableParallelism());
}
