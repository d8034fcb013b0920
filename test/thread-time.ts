import { existsSync, readFileSync } from 'node:fs';

/**
 * The processor time of the event loop's thread, in milliseconds. `process.cpuUsage` also counts garbage collection and
 * compilation on other threads, which delay nothing. It is the fallback if the system does not report threads.
 */
export function threadTimeMs(): number {
  const file = `/proc/self/task/${process.pid}/schedstat`;
  // The first figure is in nanoseconds; the first thread has the id of its process. A kernel that does not count says 0.
  const [ns] = existsSync(file) ? readFileSync(file, 'utf8').split(' ').map(Number) : [];
  if (ns !== undefined && ns > 0) return ns / 1e6;
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
