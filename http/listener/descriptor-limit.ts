import { readFileSync } from 'node:fs';

/**
 * How many files and connections this process may have open, or null where the system does not say (it does on Linux, in
 * `/proc/self/limits`). Node has raised it to the hard limit by then.
 */
export function descriptorLimit(read: () => string = () => readFileSync('/proc/self/limits', 'latin1')): number | null {
  try {
    const [, soft] = /^Max open files +(\w+)/m.exec(read()) ?? [];
    const limit = Number(soft);
    return Number.isSafeInteger(limit) ? limit : null;
  } catch {
    return null;
  }
}
