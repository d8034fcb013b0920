import { readdir, readFile, readlink } from 'node:fs/promises';
import { cpuMs } from '../../bench/process-figures.ts';

/** Processes that were started for a data root or run in it, as their command lines; needs /proc. */
export async function processesOf(root: string): Promise<string[]> {
  const found: string[] = [];
  for (const id of await readdir('/proc').catch(() => [])) {
    if (!/^\d+$/.test(id)) continue;
    // Any of them may end while it is looked at.
    const command = await readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '');
    const folder = await readlink(`/proc/${id}/cwd`).catch(() => '');
    if (command.includes(root) || folder.startsWith(root)) found.push(`${id} ${command.replaceAll('\0', ' ')}`);
  }
  return found;
}

/** One process of a data root: its CPU time grows for as long as it works. */
export interface Working {
  readonly command: string;
  readonly cpuMs: number;
}

/** The processes of a data root, this one left out, and what they have worked so far. One that ends meanwhile is left out. */
export async function workingFor(root: string): Promise<Working[]> {
  const found = (await processesOf(root)).filter((line) => !line.startsWith(`${process.pid} `));
  const working = found.map(async (command) => ({ command, cpuMs: await cpuMs(Number.parseInt(command, 10)) }));
  return (await Promise.allSettled(working)).flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
}
