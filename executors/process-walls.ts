import { execa } from 'execa';
import { findExecutable } from './executable-search.ts';
import type { ProcessLimits } from './process.ts';

/** What this machine lets the launcher put around a process. */
export interface ProcessWalls {
  /** The process dies with the host, even with a host killed by SIGKILL. */
  readonly parentDeathSignal: boolean;
  /** Everything the process started dies with it, because it all lives in one PID namespace. */
  readonly pidNamespace: 'privileged' | 'user' | 'none';
  /** CPU time, file size, open files, core dumps and address space are limited by the kernel. */
  readonly resourceLimits: boolean;
}

/** The walls found, and the command words that raise them in front of a tool's own path. */
export interface WallCommand {
  readonly walls: ProcessWalls;
  prefix(limits: ProcessLimits): readonly string[];
}

// Room for a tool's libraries, codecs and pipes; far below what exhausting the host's table would take.
const OPEN_FILES = 256;

const NAMESPACE_FLAGS = ['--pid', '--fork', '--kill-child=KILL'];

async function works(command: readonly string[], pathText: string): Promise<boolean> {
  const [file, ...args] = command;
  if (file === undefined) return false;
  const result = await execa(file, args, {
    reject: false,
    stdio: 'ignore',
    timeout: 5000,
    killSignal: 'SIGKILL',
    extendEnv: false,
    env: { PATH: pathText, LC_ALL: 'C.UTF-8' },
  });
  return result.exitCode === 0;
}

async function findNamespace(
  unshare: string | null,
  harmless: string,
  pathText: string,
): Promise<{ kind: ProcessWalls['pidNamespace']; words: readonly string[] }> {
  if (unshare === null) return { kind: 'none', words: [] };
  const privileged = [unshare, ...NAMESPACE_FLAGS];
  if (await works([...privileged, harmless], pathText)) return { kind: 'privileged', words: privileged };
  const user = [unshare, '--user', '--map-current-user', ...NAMESPACE_FLAGS];
  if (await works([...user, harmless], pathText)) return { kind: 'user', words: user };
  return { kind: 'none', words: [] };
}

/** Tries each wall once with a harmless command and keeps those that work here. Never rejects. */
export async function findWalls(pathText: string): Promise<WallCommand> {
  const [setpriv, prlimit, unshare, harmless] = await Promise.all(
    ['setpriv', 'prlimit', 'unshare', 'true'].map((name) => findExecutable(name, pathText)),
  );
  if (harmless == null) return plainGroup;
  const deathWords = setpriv == null ? [] : [setpriv, '--pdeathsig', 'KILL'];
  const [parentDeathSignal, resourceLimits, namespace] = await Promise.all([
    works([...deathWords, harmless], pathText).then((fine) => fine && deathWords.length > 0),
    prlimit == null ? false : works([prlimit, '--core=0', `--nofile=${OPEN_FILES}`, harmless], pathText),
    findNamespace(unshare ?? null, harmless, pathText),
  ]);
  const before = parentDeathSignal ? deathWords : [];
  return {
    walls: { parentDeathSignal, pidNamespace: namespace.kind, resourceLimits },
    prefix: (limits) => [
      ...before,
      ...(resourceLimits && prlimit != null ? [prlimit, ...limitWords(limits)] : []),
      ...namespace.words,
    ],
  };
}

const plainGroup: WallCommand = {
  walls: { parentDeathSignal: false, pidNamespace: 'none', resourceLimits: false },
  prefix: () => [],
};

function limitWords(limits: ProcessLimits): string[] {
  return [
    `--cpu=${Math.ceil(limits.cpuSeconds)}`,
    `--fsize=${limits.fileSizeBytes}`,
    `--nofile=${OPEN_FILES}`,
    '--core=0',
    ...(limits.addressSpaceBytes === undefined ? [] : [`--as=${limits.addressSpaceBytes}`]),
  ];
}

/** One line for the operator: which walls stand on this machine and what is missing. */
export function describeWalls(walls: ProcessWalls): string {
  const missing = [
    ...(walls.parentDeathSignal ? [] : ['a process may outlive a host killed by SIGKILL (no setpriv)']),
    ...(walls.pidNamespace === 'none' ? ["a process's own children may outlive it (no PID namespace)"] : []),
    ...(walls.resourceLimits ? [] : ['no CPU, file size or memory limits (no prlimit)']),
  ];
  return missing.length === 0 ? 'process walls: complete' : `process walls: ${missing.join('; ')}`;
}

// util-linux before 2.39 cannot re-raise SIGKILL on itself: it prints this line and exits with 1 instead.
const UNSHARE_SIGKILL_LINE = 'unshare: sigprocmask unblock failed: Invalid argument\n';

/** Whether exit code 1 behind a PID namespace really was the tool's death by SIGKILL (CPU limit, out of memory). */
export function isHiddenSigkill(walls: ProcessWalls, exitCode: number | null, stderrTail: string): boolean {
  return walls.pidNamespace !== 'none' && exitCode === 1 && stderrTail.endsWith(UNSHARE_SIGKILL_LINE);
}
