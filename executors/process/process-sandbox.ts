import { readFile } from 'node:fs/promises';
import { execa } from 'execa';
import { ownNetworkWords } from './own-network.ts';
import type { ProcessLimits } from './process.ts';
import { findExecutable } from './tools.ts';

/** Room for a tool's libraries, codecs and pipes; far below what exhausting the host's table would take. */
const OPEN_FILES = 256;

/** The limits that this process and its children cannot pass, by the name of prlimit's option; absent if there is none. */
type HardLimits = Readonly<Partial<Record<'cpu' | 'fsize' | 'nofile' | 'data', number>>>;

const ROWS = {
  cpu: 'Max cpu time',
  fsize: 'Max file size',
  nofile: 'Max open files',
  data: 'Max data size',
} as const;

/** The limits of the system on this host; empty without /proc. */
async function readHardLimits(): Promise<HardLimits> {
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
function limitWords(limits: ProcessLimits, hard: HardLimits): string[] {
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

/** The sandbox that the launcher can put around a process on this machine. */
export interface ProcessSandbox {
  /** The process dies with the host, even with a host killed by SIGKILL. */
  readonly parentDeathSignal: boolean;
  /** Everything the process started dies with it, because it all lives in one PID namespace. */
  readonly pidNamespace: 'privileged' | 'user' | 'none';
  /**
   * `own`: the process lives in a network that holds its proxy alone, or nothing. `empty`: a process without a proxy lives
   * in a network that holds nothing; one with a proxy shares the machine's. `shared`: every process shares it.
   */
  readonly network: 'own' | 'empty' | 'shared';
  /** CPU time, file size, open files, core dumps and memory are limited by the kernel. */
  readonly resourceLimits: boolean;
  /** How many files a process may open, where the machine allows fewer than the launcher would. */
  readonly fewerOpenFiles?: number;
}

/** The parts that work here, and the command words that set them up in front of a tool's own path. */
export interface SandboxCommand {
  readonly sandbox: ProcessSandbox;
  /** `withProxy`: the process reaches a proxy. Where `network` is `own` its listener is handed over (`takeListener`). */
  prefix(limits: ProcessLimits, withProxy?: boolean): readonly string[];
}

const PID_FLAGS = ['--pid', '--fork', '--kill-child=KILL'];
const USER_FLAGS = ['--user', '--map-current-user'];

// A user namespace of its own gives all rights within it; a tool needs none of them.
const DROP_RIGHTS = ['--inh-caps=-all', '--ambient-caps=-all', '--bounding-set=-all'];

interface Namespaces {
  readonly kind: ProcessSandbox['pidNamespace'];
  readonly network: ProcessSandbox['network'];
  readonly alone: readonly string[];
  readonly withProxy: readonly string[];
}

const NO_NAMESPACES: Namespaces = { kind: 'none', network: 'shared', alone: [], withProxy: [] };

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

/** The strongest namespaces that work here: with a network rather than without, as this user rather than in a user namespace. */
async function findNamespaces(
  { unshare, setpriv, harmless }: { unshare: string | null; setpriv: string | null; harmless: string },
  pathText: string,
): Promise<Namespaces> {
  if (unshare === null) return NO_NAMESPACES;
  for (const isolated of [true, false]) {
    for (const kind of ['privileged', 'user'] as const) {
      const flags = [...(isolated ? ['--net'] : []), ...PID_FLAGS];
      const alone = [unshare, ...(kind === 'user' ? USER_FLAGS : []), ...flags];
      const [worksAlone, withProxy] = await Promise.all([
        works([...alone, harmless], pathText),
        isolated ? proxiedWords({ unshare, setpriv, kind, flags }, pathText) : null,
      ]);
      if (!worksAlone) continue;
      if (!isolated) return { kind, network: 'shared', alone, withProxy: alone };
      // If this fails, a process that needs a proxy shares the network; its processes stay together all the same.
      const shared = alone.filter((word) => word !== '--net');
      return { kind, network: withProxy === null ? 'empty' : 'own', alone, withProxy: withProxy ?? shared };
    }
  }
  return NO_NAMESPACES;
}

function proxiedWords(
  found: { unshare: string; setpriv: string | null; kind: 'privileged' | 'user'; flags: readonly string[] },
  pathText: string,
): Promise<readonly string[] | null> {
  const { unshare, setpriv, kind, flags } = found;
  const tried = { pathText, works: (command: readonly string[]) => works(command, pathText) };
  if (kind === 'privileged') return ownNetworkWords({ enter: [unshare, ...flags], drop: [], ...tried });
  if (setpriv === null) return Promise.resolve(null);
  const enter = [unshare, ...USER_FLAGS, '--keep-caps', ...flags];
  return ownNetworkWords({ enter, drop: [setpriv, ...DROP_RIGHTS], ...tried });
}

/** Tries each wall once with a harmless command and keeps those that work here. Never rejects. */
export async function findSandbox(pathText: string): Promise<SandboxCommand> {
  const [setpriv = null, prlimit = null, unshare = null, harmless = null] = await Promise.all(
    ['setpriv', 'prlimit', 'unshare', 'true'].map((name) => findExecutable(name, pathText)),
  );
  if (harmless === null) return plainGroup;
  const hard = await readHardLimits();
  const openFiles = Math.min(OPEN_FILES, hard.nofile ?? OPEN_FILES);
  const deathWords = setpriv === null ? [] : [setpriv, '--pdeathsig', 'KILL'];
  const [parentDeathSignal, resourceLimits, namespaces] = await Promise.all([
    works([...deathWords, harmless], pathText).then((fine) => fine && deathWords.length > 0),
    prlimit !== null && works([prlimit, '--core=0', `--nofile=${openFiles}`, harmless], pathText),
    findNamespaces({ unshare, setpriv, harmless }, pathText),
  ]);
  const { kind, network, alone, withProxy } = namespaces;
  const fewer = resourceLimits && openFiles < OPEN_FILES ? { fewerOpenFiles: openFiles } : {};
  return {
    sandbox: { parentDeathSignal, pidNamespace: kind, network, resourceLimits, ...fewer },
    prefix: (limits, hasProxy = false) => [
      ...(parentDeathSignal ? deathWords : []),
      ...(resourceLimits && prlimit !== null ? [prlimit, ...limitWords(limits, hard)] : []),
      ...(hasProxy ? withProxy : alone),
    ],
  };
}

const plainGroup: SandboxCommand = {
  sandbox: { parentDeathSignal: false, pidNamespace: 'none', network: 'shared', resourceLimits: false },
  prefix: () => [],
};

const missingOfNetwork: Readonly<Record<ProcessSandbox['network'], readonly string[]>> = {
  own: [],
  empty: ["a downloader reaches this machine's network (neither ip nor python3 raises a loopback interface)"],
  shared: ["a process reaches this machine's network (no network namespace)"],
};

/** One line for the operator: which parts of the sandbox work on this machine and what is missing. */
export function describeSandbox(sandbox: ProcessSandbox): string {
  const missing = [
    ...(sandbox.parentDeathSignal ? [] : ['a process may outlive a host killed by SIGKILL (no setpriv)']),
    ...(sandbox.pidNamespace === 'none' ? ["a process's own children may outlive it (no PID namespace)"] : []),
    ...missingOfNetwork[sandbox.network],
    ...(sandbox.resourceLimits ? [] : ['no CPU, file size or memory limits (no prlimit)']),
    ...(sandbox.fewerOpenFiles === undefined
      ? []
      : [`a process may open ${sandbox.fewerOpenFiles} files instead of ${OPEN_FILES} (hard limit "nofile")`]),
  ];
  return missing.length === 0 ? 'process sandbox: complete' : `process sandbox: ${missing.join('; ')}`;
}

// util-linux before 2.39 cannot re-raise SIGKILL on itself: it prints this line and exits with 1 instead.
const UNSHARE_SIGKILL_LINE = 'unshare: sigprocmask unblock failed: Invalid argument\n';

/** True if exit code 1 behind a PID namespace really was the tool's death by SIGKILL (CPU limit, out of memory). */
export function isHiddenSigkill(
  sandbox: Pick<ProcessSandbox, 'pidNamespace'>,
  exitCode: number | null,
  stderrTail: string,
): boolean {
  return sandbox.pidNamespace !== 'none' && exitCode === 1 && stderrTail.endsWith(UNSHARE_SIGKILL_LINE);
}
