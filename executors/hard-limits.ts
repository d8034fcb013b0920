import { readFile } from 'node:fs/promises';

/** The limits that this process and its children cannot pass, by the name of prlimit's option; absent where there is none. */
export type HardLimits = Readonly<Partial<Record<'cpu' | 'fsize' | 'nofile' | 'data', number>>>;

const ROWS = {
  cpu: 'Max cpu time',
  fsize: 'Max file size',
  nofile: 'Max open files',
  data: 'Max data size',
} as const;

/** What the system imposes on this host; nothing where there is no /proc. */
export async function readHardLimits(): Promise<HardLimits> {
  return parseHardLimits(await readFile('/proc/self/limits', 'utf8').catch(() => ''));
}

/** Reads the table of /proc/PID/limits: name, soft limit, hard limit, unit. */
export function parseHardLimits(table: string): HardLimits {
  const lines = table.split('\n');
  const found = Object.entries(ROWS).flatMap(([option, name]) => {
    const [, hard] =
      lines
        .find((line) => line.startsWith(name))
        ?.slice(name.length)
        .trim()
        .split(/\s+/) ?? [];
    return hard !== undefined && /^\d+$/.test(hard) ? [[option, Number(hard)]] : [];
  });
  return Object.fromEntries(found);
}
