import { readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';

// The kernel counts a process's time in ticks of 10 ms (USER_HZ, fixed at 100 for programs).
const msPerTick = 10;

/** CPU time of a process and all its threads so far, in milliseconds: what ran in it and what the kernel did for it. */
export async function cpuMs(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8');
  // The name in parentheses may hold anything; utime and stime are the 12th and 13th field behind it.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * msPerTick;
}

/** CPU time of the children of this process that have ended, with their own ended children, in milliseconds. */
export function childrenCpuMs(): number {
  const text = readFileSync('/proc/self/stat', 'utf8');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[13]) + Number(fields[14])) * msPerTick;
}

const megabytes = (text: string, field: string): number =>
  (Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1]) * 1024) / 1e6;

/**
 * Memory of a process in megabytes (10^6 bytes). `resident` is its size now, `proportional` the same with shared pages split
 * among their users. `own` is the private pages that it has written to; `peak` is the highest resident size.
 */
export async function memoryOf(
  pid: number,
): Promise<{ resident: number; proportional: number; own: number; peak: number }> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8');
  return {
    resident: megabytes(status, 'VmRSS'),
    proportional: megabytes(rollup, 'Pss'),
    own: megabytes(rollup, 'Private_Dirty'),
    peak: megabytes(status, 'VmHWM'),
  };
}

/** Lets the peak of a process's memory begin again at what it holds now. */
export const forgetPeak = (pid: number): Promise<void> => writeFile(`/proc/${pid}/clear_refs`, '5');
