import { availableParallelism, type CpuInfo, cpus } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';

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

/**
 * The cores of this machine that are idle now, at least 1. Rejects with the reason of `signal` once that aborts. It waits on a timer of
 * Node that keeps a command alive, unlike those of the host's clock.
 */
export async function idleCores(signal: AbortSignal): Promise<number> {
  const before = cpus();
  await delay(lookMs, undefined, { signal }).catch((error: unknown) => {
    signal.throwIfAborted();
    throw error;
  });
  return idleBetween(before, cpus(), availableParallelism());
}
