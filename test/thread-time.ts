import { existsSync, readFileSync } from 'node:fs';

/**
 * The time in milliseconds that the thread of the event loop has spent on a processor. `process.cpuUsage` also counts what collects
 * garbage and compiles beside it, which holds nothing up. Where the system does not tell of threads, that has to do.
 */
export function threadTimeMs(): number {
  const file = `/proc/self/task/${process.pid}/schedstat`;
  // The first figure is in nanoseconds; the first thread has the id of its process. A kernel that does not count says 0.
  const [ns] = existsSync(file) ? readFileSync(file, 'utf8').split(' ').map(Number) : [];
  if (ns !== undefined && ns > 0) return ns / 1e6;
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
