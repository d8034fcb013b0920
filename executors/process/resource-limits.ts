import { readFile } from 'node:fs/promises';
import type { ProcessLimits } from './process.ts';

/** Room for a tool's libraries, codecs and pipes; far below what exhausting the host's table would take. */
export const OPEN_FILES = 256;

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

/** The words for prlimit. A limit above a hard one would be refused, and the tool with it; so the smaller of both holds. */
export function limitWords(limits: ProcessLimits, hard: HardLimits): string[] {
  const within = (option: keyof HardLimits, limit: number) =>
    `--${option}=${Math.min(limit, hard[option] ?? Number.POSITIVE_INFINITY)}`;
  return [
    within('cpu', Math.ceil(limits.cpuSeconds)),
    within('fsize', limits.fileSizeBytes),
    within('nofile', OPEN_FILES),
    within('data', limits.memoryBytes),
    '--core=0',
  ];
}
