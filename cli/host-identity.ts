import { execFile } from 'node:child_process';
import { readFile, readlink, stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { failedWith } from '../storage/objects/object-store-error.ts';

/** A folder as the system numbers it. A copy of the folder has other numbers. All are decimal digits. */
export interface RootIdentity {
  readonly device: string;
  readonly inode: string;
  /** The birth of the folder, in ns since 1970; null if the file system does not keep it. */
  readonly bornAt: string | null;
}

/** The numbers of the folder to which a path leads now, behind links; null if there is none. */
export async function rootIdentity(folder: string): Promise<RootIdentity | null> {
  const found = await stat(folder, { bigint: true }).catch(() => null);
  if (found === null) return null;
  // A system without the time of birth has 0 or the time of the last change in its place.
  const isKept = found.birthtimeNs > 0n && found.birthtimeNs !== found.ctimeNs;
  return {
    device: String(found.dev),
    inode: String(found.ino),
    bornAt: isKept ? String(found.birthtimeNs) : null,
  };
}

/** True if both are the same folder. An inode is used again for a new folder, which has another time of birth. */
export const isSameRoot = (one: RootIdentity, other: RootIdentity): boolean =>
  one.device === other.device &&
  one.inode === other.inode &&
  (one.bornAt === null || other.bornAt === null || one.bornAt === other.bornAt);

/** A process, and what distinguishes it from a later one of the same number. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Its start, as the system counts it; null if the system has no such count. */
  readonly startedAt: string | null;
  /** The start of the system; null if it has no name. */
  readonly bootId: string | null;
  /** The space of numbers in which `pid` counts, as containers have their own; null if there is only one. */
  readonly pidNamespace: string | null;
}

const textIn = (path: string): Promise<string | null> => readFile(path, 'utf8').catch(() => null);

/** The fields of `/proc/PID/stat` behind the name of the program, which may hold spaces and brackets (proc(5)). */
async function statFields(pid: number): Promise<readonly string[] | null> {
  const text = await textIn(`/proc/${pid}/stat`);
  return text === null ? null : text.slice(text.lastIndexOf(')') + 2).split(' ');
}

const run = promisify(execFile);

/** The start of a process, in a form that no other process of the same number has; null if the system has no such form. */
async function startedAtOf(pid: number): Promise<string | null> {
  // Field 22 of proc(5): ticks since the start of the system. The first field here is the third.
  if (process.platform === 'linux') return (await statFields(pid))?.[19] ?? null;
  if (process.platform !== 'darwin') return null;
  const asked = await run('/bin/ps', ['-o', 'lstart=', '-p', String(pid)], { env: { LC_ALL: 'C', TZ: 'UTC' } }).catch(
    () => null,
  );
  return asked?.stdout.trim() || null;
}

const bootId = async (): Promise<string | null> => (await textIn('/proc/sys/kernel/random/boot_id'))?.trim() ?? null;

const pidNamespace = (): Promise<string | null> => readlink('/proc/self/ns/pid').catch(() => null);

/** The identity of a process of this system. */
export async function processIdentity(pid: number): Promise<ProcessIdentity> {
  return { pid, startedAt: await startedAtOf(pid), bootId: await bootId(), pidNamespace: await pidNamespace() };
}

/** The state of a process: `stopped` for one that a signal has stopped. A process that has ended and was not collected is `ended`. */
export async function processState(pid: number): Promise<'running' | 'stopped' | 'ended'> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // The process of another user is there, too.
    if (failedWith(error, 'ESRCH')) return 'ended';
  }
  const state = (await statFields(pid))?.[0];
  if (state === 'Z' || state === 'X') return 'ended';
  return state === 'T' || state === 't' ? 'stopped' : 'running';
}

/** True if the number of a process means something here: containers have numbers of their own. */
export async function isOfThisSpace({ pidNamespace: space }: Pick<ProcessIdentity, 'pidNamespace'>): Promise<boolean> {
  const now = await pidNamespace();
  return space === null || now === null || space === now;
}

/** Why the process of a host file is not the one that runs now under its number; null if nothing speaks against it. */
export async function endOf({
  pid,
  startedAt,
  bootId: boot,
  pidNamespace: space,
}: ProcessIdentity): Promise<string | null> {
  const nowBoot = await bootId();
  if (boot !== null && nowBoot !== null && boot !== nowBoot) return 'the system was started again since';
  // The number means nothing here; the proof of the host decides.
  if (!(await isOfThisSpace({ pidNamespace: space }))) return null;
  if ((await processState(pid)) === 'ended') return `its process ${pid} has ended`;
  const now = startedAt === null ? null : await startedAtOf(pid);
  return now === null || now === startedAt ? null : `its process ${pid} has ended, and another has its number`;
}

/**
 * The addresses at which a program gets what is sent to a loopback address. Linux writes them so in `/proc/net/tcp` on machines with
 * little-endian words. `every` counts if no program listens at the address itself.
 */
const inKernelHex: Readonly<Record<string, { readonly itself: readonly string[]; readonly every: readonly string[] }>> =
  {
    '127.0.0.1': {
      itself: ['0100007F', '0000000000000000FFFF00000100007F'],
      every: ['00000000', '00000000000000000000000000000000'],
    },
    '::1': { itself: ['00000000000000000000000001000000'], every: ['00000000000000000000000000000000'] },
  };

const listening = '0A';

/** The users whose programs get what is sent to a port at a loopback address, by Linux; none if the system has no such table. */
export async function ownersOfListeners(address: string, port: number): Promise<readonly number[]> {
  const wanted = inKernelHex[address];
  if (wanted === undefined) return [];
  const tables = await Promise.all(['/proc/net/tcp', '/proc/net/tcp6'].map(textIn));
  const digits = port.toString(16).toUpperCase().padStart(4, '0');
  const rows = tables.flatMap((table) => (table ?? '').split('\n').map((line) => line.trim().split(/\s+/)));
  const ownersAt = (places: readonly string[]): readonly number[] =>
    rows
      .filter(([, local, , state]) => state === listening && places.some((place) => local === `${place}:${digits}`))
      .map((row) => Number(row[7]));
  const owners = ownersAt(wanted.itself);
  return owners.length > 0 ? owners : ownersAt(wanted.every);
}
