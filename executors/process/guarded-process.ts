import { ChildProcess } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { Readable, Transform, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { execa, type Options } from 'execa';
import type { Clock } from '../../contract/base/clock.ts';
import { onAbort } from '../../formats/followed-signal.ts';
import { systemCode } from '../../storage/system-refusal.ts';
import { NO_LISTENER_EXIT, PROXY_PORT, takeListener } from './own-network.ts';
import {
  ProcessFailure,
  type ProcessFailureCause,
  type ProcessProxy,
  type ProcessRequest,
  type RunningProcess,
} from './process.ts';
import type { SandboxCommand } from './process-sandbox.ts';

/** Keeps everything it is given, up to the limit that the stream before it enforces. */
export class CollectedOutput {
  readonly #chunks: Buffer[] = [];

  add(chunk: Buffer): void {
    this.#chunks.push(chunk);
  }

  bytes(): Buffer {
    return Buffer.concat(this.#chunks);
  }

  /** The first `maximum` bytes as text. */
  head(maximum: number): string {
    return this.bytes().subarray(0, maximum).toString('utf8');
  }

  /** The last `maximum` bytes as text. */
  tail(maximum: number): string {
    return this.bytes().subarray(-maximum).toString('utf8');
  }
}

/** Reads a stream to its end or to its destruction; what came until then stays in `output`. Never rejects. */
async function collect(stream: Readable, output: CollectedOutput): Promise<void> {
  try {
    for await (const chunk of stream) output.add(chunk);
  } catch {
    // The code that destroyed the stream reports why.
  }
}

/** Passes at most `limitBytes` on, with backpressure; the first byte beyond calls `onLimit` once and is dropped. */
function boundedStream(limitBytes: number, onLimit: () => void): Transform {
  let seen = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const room = limitBytes - seen;
      if (room < 0) return done();
      seen += chunk.length;
      if (chunk.length <= room) return done(null, chunk);
      done(null, chunk.subarray(0, room));
      onLimit();
    },
  });
}

/** The part of a child process that is guarded here. */
interface ChildHandle {
  readonly stdin: Writable | null;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly extra: readonly Readable[];
  /** Resolves when the process itself is gone, even if another process still holds its pipes. */
  readonly exited: Promise<ChildExit>;
  /** Sends SIGKILL to the process and everything it started. */
  killAll(): void;
}

export interface ChildExit {
  readonly code: number | null;
  readonly signal: string | null;
  /** The tool was never started, because it could not be given the network of its own. */
  readonly unborn: boolean;
}

// SIGKILL ends a process within a scheduler tick; only one stuck in the kernel takes longer, and no caller waits for that.
const KILL_GRACE_MS = 2000;
const STDERR_TAIL_BYTES = 4096;
const STDOUT_HEAD_BYTES = 65_536;

/** The part of a clock that a deadline needs. */
export type Timers = Pick<Clock, 'setTimeout' | 'clearTimeout'>;

const systemTimers: Timers = {
  setTimeout: (run, ms) => setTimeout(run, ms),
  clearTimeout: (timer) => clearTimeout(timer as NodeJS.Timeout),
};

/** Holds one process to its limits: the first reason to stop it wins, kills the group and ends every stream. */
export class GuardedProcess implements RunningProcess {
  readonly stdin: Writable | null;
  readonly stdout: Readable;
  readonly extra: readonly Readable[];
  readonly finished: Promise<{ readonly stderr: Buffer }>;
  readonly #child: ChildHandle;
  readonly #tool: string;
  readonly #stderr = new CollectedOutput();
  readonly #stdoutHead: CollectedOutput | null;
  readonly #pumps: Promise<void>[] = [];
  readonly #outlets: Readable[] = [];
  readonly #interpret: (exit: ChildExit, stderrTail: string) => ChildExit;
  #gone = false;
  #verdict: ProcessFailure | null = null;
  #announceVerdict: () => void = () => {};

  /** `collected`, when given, receives stdout, so that a failure can show its beginning. `timers` measure its deadline. */
  constructor(
    child: ChildHandle,
    request: ProcessRequest,
    interpret: (exit: ChildExit, stderrTail: string) => ChildExit,
    collected: CollectedOutput | null,
    timers: Timers = systemTimers,
  ) {
    this.#child = child;
    this.#tool = path.basename(request.tool);
    this.#interpret = interpret;
    this.#stdoutHead = collected;
    this.stdin = child.stdin;
    this.stdin?.on('error', () => {});
    const { stdoutBytes, stderrBytes } = request.limits;
    this.stdout = this.#bound(child.stdout, 'stdout', stdoutBytes);
    this.extra = child.extra.map((pipe, index) => this.#bound(pipe, `pipe ${index + 3}`, stdoutBytes));
    this.#pumps.push(collect(this.#bound(child.stderr, 'stderr', stderrBytes), this.#stderr));
    if (collected !== null) this.#pumps.push(collect(this.stdout, collected));
    this.finished = this.#watch(request, timers);
    // The reader of the streams learns of a failure there first; `finished` may be awaited later.
    this.finished.catch(() => {});
  }

  kill(): void {
    this.#stop('aborted', 'was stopped');
  }

  #bound(source: Readable, name: string, limitBytes: number): Readable {
    const outlet = boundedStream(limitBytes, () =>
      this.#stop('output_limit', `wrote more than ${limitBytes} bytes to ${name}`),
    );
    // A process is not at fault if its reader has gone; its own exit shows how it took that.
    outlet.on('error', () => {});
    this.#outlets.push(outlet);
    this.#pumps.push(pipeline(source, outlet).catch(() => {}));
    return outlet;
  }

  async #watch(request: ProcessRequest, timers: Timers): Promise<{ readonly stderr: Buffer }> {
    const stopped = new Promise<void>((resolve) => {
      this.#announceVerdict = resolve;
    });
    const { wallMs } = request.limits;
    const timer = timers.setTimeout(() => this.#stop('deadline', `ran longer than ${wallMs} ms`), wallMs);
    const stopListening = onAbort(request.signal, () => this.#stop('aborted', 'was stopped'));
    const exited = this.#child.exited.then((exit) => {
      this.#gone = true;
      return exit;
    });
    try {
      const ended = Promise.all([exited, ...this.#pumps]).then(([exit]) => exit);
      const exit = await Promise.race([ended, stopped.then(() => null)]);
      if (exit !== null && this.#verdict === null) return this.#judge(exit);
      await Promise.race([exited, delay(KILL_GRACE_MS, null, { ref: false })]);
      throw this.#verdict;
    } finally {
      timers.clearTimeout(timer);
      stopListening();
    }
  }

  #judge(raw: ChildExit): { readonly stderr: Buffer } {
    if (raw.unborn) throw this.#failure('launch_failed', 'could not be given a network of its own', null);
    const exit = this.#interpret(raw, this.#stderr.tail(STDERR_TAIL_BYTES));
    if (exit.code === 0) return { stderr: this.#stderr.bytes() };
    if (exit.code !== null) throw this.#failure('tool_exit', `exited with code ${exit.code}`, exit.code);
    throw this.#failure('tool_signal', `was killed by ${exit.signal}`, null);
  }

  #stop(reason: ProcessFailureCause, detail: string): void {
    if (this.#verdict !== null) return;
    this.#verdict = this.#failure(reason, detail, null);
    // Once the process is gone its id may belong to someone else.
    if (!this.#gone) this.#child.killAll();
    // A process that escaped the group may hold the pipes open for ever, so they are not waited for.
    for (const source of [this.#child.stdout, this.#child.stderr, ...this.#child.extra]) source.destroy();
    for (const outlet of this.#outlets) outlet.destroy(this.#verdict);
    this.#child.stdin?.destroy();
    this.#announceVerdict();
  }

  #failure(reason: ProcessFailureCause, detail: string, exitCode: number | null): ProcessFailure {
    return new ProcessFailure(reason, `${this.#tool} ${detail}`, {
      exitCode,
      stdout: this.#stdoutHead?.head(STDOUT_HEAD_BYTES) ?? '',
      stderr: this.#stderr.tail(STDERR_TAIL_BYTES),
    });
  }
}

/**
 * Starts a tool as the leader of its own process group: no shell, bare environment, `folder` as home,
 * working folder and place of temporary files. Rejects with `launch_failed` when the system gives no process.
 */
export async function spawnGroup(
  { sandbox, prefix }: SandboxCommand,
  request: ProcessRequest,
  folder: string,
  pathText: string,
): Promise<ChildHandle> {
  const { tool, limits, proxy } = request;
  const handsOver = proxy !== undefined && sandbox.network === 'own';
  const [file = tool, ...args] = [...prefix(limits, proxy !== undefined), tool, ...request.args];
  const port = proxy === undefined || handsOver ? PROXY_PORT : await sharedPort(proxy);
  const environment = { ...request.environment, ...proxy?.environmentAt(port) };
  const extraPipes = new Array<'pipe'>(request.extraPipes ?? 0).fill('pipe');
  const { child: subprocess } = await begun(file, args, {
    cwd: folder,
    env: { ...environment, PATH: pathText, HOME: folder, TMPDIR: folder, LC_ALL: 'C.UTF-8' },
    stdio: [request.stdin ?? 'ignore', 'pipe', 'pipe', ...extraPipes, ...(handsOver ? ['ipc' as const] : [])],
  });
  const { pid, stdin, stdout, stderr } = subprocess;
  if (pid === undefined || stdout === null || stderr === null) throw noProcess('no pipes');
  let isServed = !handsOver;
  if (handsOver) {
    takeListener(subprocess, (listener) => {
      isServed = true;
      proxy.serve(listener);
    });
  }
  const exited = new Promise<ChildExit>((resolve) => {
    subprocess.once('exit', (code, signal) => {
      // A namespace is empty once its first process is gone; a plain group may still hold others.
      if (sandbox.pidNamespace === 'none') killGroup(pid);
      resolve({ code, signal, unborn: !isServed && code === NO_LISTENER_EXIT });
    });
  });
  const extra = subprocess.stdio.slice(3).filter((pipe) => pipe instanceof Readable);
  const killAll = sandbox.pidNamespace === 'none' ? () => killGroup(pid) : () => killNamespace(pid);
  return { stdin, stdout, stderr, extra, exited, killAll };
}

const noProcess = (detail: string): ProcessFailure =>
  new ProcessFailure('launch_failed', `no process could be started (${detail})`);

/**
 * Starts a process, and rejects if the system gives none. If no descriptor is left, Node makes a child without streams and emits
 * its error later. The package execa throws at the missing streams before it listens for that error, which would end the host. So
 * each new child gets a listener at once. The child comes in an object, as execa makes a promise of it.
 */
async function begun(
  file: string,
  args: readonly string[],
  options: Pick<Options, 'cwd' | 'env' | 'stdio'>,
): Promise<{ readonly child: ChildProcess }> {
  const made: { child: ChildProcess; error: Promise<unknown> }[] = [];
  const onChild = (message: unknown) => {
    const { process: child } = message as { process: ChildProcess };
    // Later errors, such as that of a channel whose other end has died, say the same as the exit.
    made.push({ child, error: new Promise((resolve) => child.on('error', resolve)) });
  };
  subscribe('child_process', onChild);
  let result: PromiseLike<{ readonly code?: string | undefined }> | null = null;
  try {
    // The guard bounds the output, kills the whole group, and ends it with the host.
    const guarded = { buffer: false, cleanup: false, reject: false } as const;
    result = execa(file, args, { ...options, ...guarded, extendEnv: false, detached: true, serialization: 'json' });
  } catch (error) {
    if (made.length === 0) throw error;
  } finally {
    unsubscribe('child_process', onChild);
  }
  if (result instanceof ChildProcess && result.pid !== undefined) return { child: result };
  throw noProcess((result === null ? systemCode(await made[0]?.error) : (await result).code) ?? 'unknown');
}

/** Opens the proxy's door in the network of this machine, where a process cannot have one of its own. */
async function sharedPort(proxy: ProcessProxy): Promise<number> {
  const listener = createServer();
  try {
    listener.listen(0, '127.0.0.1');
    await once(listener, 'listening');
  } catch {
    throw new ProcessFailure('launch_failed', 'the system gave the proxy no port');
  }
  const address = listener.address();
  proxy.serve(listener);
  return typeof address === 'object' && address !== null ? address.port : 0;
}

function killGroup(leader: number): void {
  sendKill(-leader);
}

// The kernel lets the first process of a namespace go only after all others in it are gone. The wrapper waits for that first
// process. So killing it, not the wrapper, makes the wrapper's exit mean that nothing is left.
function killNamespace(wrapper: number): void {
  const first = onlyChild(wrapper);
  if (first === null || !sendKill(first)) killGroup(wrapper);
}

function sendKill(target: number): boolean {
  try {
    return process.kill(target, 'SIGKILL');
  } catch {
    // It is gone already.
    return false;
  }
}

function onlyChild(parent: number): number | null {
  try {
    const child = Number.parseInt(readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8'), 10);
    return Number.isInteger(child) && child > 1 ? child : null;
  } catch {
    return null;
  }
}
