import { constants } from 'node:fs';
import { lstat, mkdir, open, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { madeWorkFolders, workFolderName } from '../../storage/objects/leftovers.ts';
import { systemCode } from '../../storage/system-refusal.ts';
import { type ChildExit, CollectedOutput, GuardedProcess, spawnGroup, type Timers } from './guarded-process.ts';
import {
  type Launcher,
  ProcessFailure,
  type ProcessOutput,
  type ProcessRequest,
  type RunningProcess,
} from './process.ts';
import { findSandbox, isHiddenSigkill, type ProcessSandbox, type SandboxCommand } from './process-sandbox.ts';
import { absoluteFolders, isExecutable } from './tools.ts';

/**
 * Kills the processes whose home is one of these private folders. A host killed within the fraction of a millisecond between a
 * process's birth and its first limit leaves it behind. The next host finds it so. Does nothing without /proc.
 */
async function killLeftovers(folders: readonly string[]): Promise<void> {
  if (folders.length === 0) return;
  const homes = new Set(folders.map((folder) => `HOME=${folder}`));
  const names = await readdir('/proc').catch(() => []);
  const ids = names.filter((name) => /^\d+$/.test(name)).map(Number);
  await Promise.all(
    ids.map(async (id) => {
      if (await livesIn(id, homes)) killIfThere(id);
    }),
  );
}

async function livesIn(id: number, homes: ReadonlySet<string>): Promise<boolean> {
  // It may have ended, or belong to another user.
  const environment = await readFile(`/proc/${id}/environ`, 'utf8').catch(() => '');
  return environment.split('\0').some((variable) => homes.has(variable));
}

function killIfThere(id: number): void {
  try {
    process.kill(id, 'SIGKILL');
  } catch {
    // It ended in between.
  }
}

/**
 * Refuses a work root that others can read or that is a link. Removes the leftovers of a killed host in it: processes, then the
 * folders that a host has made for processes. Resolves with the root's one true path.
 */
async function openWorkRoot(workRoot: string): Promise<string> {
  const found = await lstat(workRoot).catch(() => null);
  if (found === null || !found.isDirectory() || (found.mode & 0o077) !== 0) {
    throw new ProcessFailure('launch_failed', 'the work root must be an existing folder with mode 0700');
  }
  const root = await realpath(workRoot);
  const left = (await madeWorkFolders(root, 'process')).map((name) => path.join(root, name));
  await killLeftovers(left);
  await Promise.all(left.map(removeFolder));
  return root;
}

/** Makes a folder that only this user can enter and that did not exist before. */
async function makePrivateFolder(workRoot: string, id: string): Promise<string> {
  const folder = path.join(workRoot, workFolderName('process', id));
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    throw new ProcessFailure('launch_failed', `no private folder could be made (${codeOf(error)})`);
  }
  return folder;
}

/** Puts files into a private folder before its process starts. */
async function putFiles(
  folder: string,
  files: readonly { readonly name: string; readonly bytes: Uint8Array }[],
): Promise<void> {
  try {
    for (const { name, bytes } of files) await writeFile(path.join(folder, name), bytes, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    throw new ProcessFailure('launch_failed', `no file could be put into the private folder (${codeOf(error)})`);
  }
}

type Wanted = NonNullable<ProcessRequest['result']>;

/** So much of the output of a process is in its failure: the error may be before all of its options. */
const PRINTED_BYTES = 64 * 1024;

/** Reads what a process left in its private folder: a plain file, no link, of at most so many bytes. Failures hold its last words. */
async function takeFile(folder: string, { name, maximumBytes }: Wanted, printed: Buffer): Promise<Buffer> {
  const outcome = { exitCode: 0, stderr: printed.toString('utf8', Math.max(0, printed.length - PRINTED_BYTES)) };
  const handle = await open(
    path.join(folder, name),
    constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK,
  ).catch((error: unknown) => {
    throw new ProcessFailure('tool_exit', `ended without its result ${name} (${codeOf(error)})`, outcome);
  });
  try {
    const found = await handle.stat();
    if (!found.isFile())
      throw new ProcessFailure('tool_exit', `ended without its result ${name} (not a file)`, outcome);
    if (found.size > maximumBytes)
      throw new ProcessFailure('output_limit', `wrote more than ${maximumBytes} bytes to ${name}`, outcome);
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

/** Removes a folder and all in it; a process that is just dying may still write for a moment. */
async function removeFolder(folder: string): Promise<void> {
  try {
    await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 });
  } catch (error) {
    throw new ProcessFailure('launch_failed', `the private folder could not be removed (${codeOf(error)})`);
  }
}

const codeOf = (error: unknown): string => systemCode(error) ?? 'unknown';

/** A launcher with the parts of the sandbox that work on this machine. */
export interface SandboxedLauncher extends Launcher {
  readonly sandbox: ProcessSandbox;
  /** How many external processes run now. */
  readonly running: number;
  /** True if a folder below the work root, by its name, is the private folder of a process that runs. */
  isInUse(folder: string): boolean;
}

export interface LauncherOptions {
  /** An existing folder with mode 0700 that belongs to this launcher alone. */
  readonly workRoot: string;
  /** A new, never repeated name that is safe in a path. */
  newId(): string;
  /** Called before a folder is made in the work root; throws if the root is not that of this launcher any more. */
  readonly demandInPlace?: () => void;
  /** Where tools look for other tools; the host's own PATH unless given. */
  readonly path?: string;
  /** The timers for the deadlines of processes; by default the system's. */
  readonly timers?: Timers;
  /** The sandbox of this machine from an earlier probe; `path` must be the same then. */
  readonly sandbox?: Promise<SandboxCommand>;
}

/** Tries which parts of the sandbox this machine supports. Never rejects. */
export const probeSandbox = (path?: string): Promise<SandboxCommand> => findSandbox(pathTextOf(path));

/** The absolute folders of a PATH. */
const pathTextOf = (searched = process.env.PATH ?? '/usr/bin:/bin'): string =>
  absoluteFolders(searched).join(path.delimiter);

/**
 * Opens the one way in which the host starts external processes. Probes once which parts of the sandbox work here and
 * removes what a killed host left. Rejects with `ProcessFailure` `launch_failed` on a bad work root.
 */
export async function openLauncher(options: LauncherOptions): Promise<SandboxedLauncher> {
  const sandbox = options.sandbox ?? probeSandbox(options.path);
  const workRoot = await openWorkRoot(options.workRoot);
  return new SandboxedProcessLauncher({ ...options, workRoot }, pathTextOf(options.path), await sandbox);
}

class SandboxedProcessLauncher implements SandboxedLauncher {
  readonly sandbox: ProcessSandbox;
  readonly #options: LauncherOptions;
  readonly #path: string;
  readonly #command: SandboxCommand;
  readonly #running = new Set<RunningProcess>();
  readonly #folders = new Set<string>();
  readonly #pending = new Set<Promise<unknown>>();
  readonly #killAll = () => {
    for (const running of this.#running) running.kill();
  };
  #closed = false;

  constructor(options: LauncherOptions, pathText: string, command: SandboxCommand) {
    this.#options = options;
    this.#path = pathText;
    this.#command = command;
    this.sandbox = command.sandbox;
    // If the kernel does not end a process with the host, at least the host's ordinary end does.
    if (!this.sandbox.parentDeathSignal) process.on('exit', this.#killAll);
  }

  isInUse(folder: string): boolean {
    return this.#folders.has(folder);
  }

  get running(): number {
    return this.#running.size;
  }

  async run(request: ProcessRequest): Promise<ProcessOutput> {
    const stdout = new CollectedOutput();
    const running = await this.#launch(request, stdout);
    running.stdin?.end();
    for (const pipe of running.extra) pipe.resume();
    const { stderr, result = null } = await running.finished;
    return { stdout: stdout.bytes(), stderr, result };
  }

  start(request: ProcessRequest): Promise<RunningProcess> {
    return this.#launch(request, null);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#killAll();
    while (this.#pending.size > 0) await Promise.allSettled(this.#pending);
    process.off('exit', this.#killAll);
  }

  #launch(request: ProcessRequest, collected: CollectedOutput | null): Promise<RunningProcess> {
    return this.#track(this.#openProcess(request, collected));
  }

  // The work that `close` waits for: every launch under way and every process with its folder.
  #track<T>(work: Promise<T>): Promise<T> {
    const forget = () => void this.#pending.delete(work);
    this.#pending.add(work);
    work.then(forget, forget);
    return work;
  }

  async #openProcess(request: ProcessRequest, collected: CollectedOutput | null): Promise<RunningProcess> {
    this.#refuseWhenStopped(request);
    if (!path.isAbsolute(request.tool) || !(await isExecutable(request.tool))) {
      throw new ProcessFailure('tool_missing', `${path.basename(request.tool)} is not an executable file`);
    }
    this.#options.demandInPlace?.();
    const folder = await makePrivateFolder(this.#options.workRoot, this.#options.newId());
    let guarded: GuardedProcess;
    try {
      await putFiles(folder, request.files ?? []);
      this.#refuseWhenStopped(request);
      const child = await spawnGroup(this.#command, request, folder, this.#path);
      guarded = new GuardedProcess(child, request, this.#interpret, collected, this.#options.timers);
    } catch (error) {
      // The first reason is reported; a folder that stays is a leftover for the next start.
      await removeFolder(folder).catch(() => undefined);
      throw error;
    }
    this.#running.add(guarded);
    this.#folders.add(path.basename(folder));
    if (this.#closed) guarded.kill();
    const finished = this.#track(this.#tidy(guarded, folder, request.result));
    finished.catch(() => {});
    const { stdin, stdout, extra } = guarded;
    return { stdin, stdout, extra, finished, kill: () => guarded.kill() };
  }

  // `finished` settles only when nothing of the process is left, its folder included.
  async #tidy(
    guarded: GuardedProcess,
    folder: string,
    wanted: ProcessRequest['result'],
  ): Promise<{ readonly stderr: Buffer; readonly result: Buffer | null }> {
    const ended = guarded.finished.then(async ({ stderr }) => ({
      stderr,
      result: wanted === undefined ? null : await takeFile(folder, wanted, stderr),
    }));
    const [outcome, removal] = await Promise.allSettled([
      ended,
      ended.then(
        () => removeFolder(folder),
        () => removeFolder(folder),
      ),
    ]);
    this.#running.delete(guarded);
    this.#folders.delete(path.basename(folder));
    // The first reason wins: a folder that stays behind a failed process is removed at the next start.
    if (outcome.status === 'rejected') throw outcome.reason;
    if (removal.status === 'rejected') throw removal.reason;
    return outcome.value;
  }

  readonly #interpret = (exit: ChildExit, stderrTail: string): ChildExit =>
    isHiddenSigkill(this.sandbox, exit.code, stderrTail) ? { ...exit, code: null, signal: 'SIGKILL' } : exit;

  #refuseWhenStopped(request: ProcessRequest): void {
    if (this.#closed) throw new ProcessFailure('aborted', 'the launcher is closed');
    if (request.signal.aborted) throw new ProcessFailure('aborted', 'stopped before it began');
  }
}
