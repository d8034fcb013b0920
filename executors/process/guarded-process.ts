import path from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../../contract/base/clock.ts';
import { boundedStream, CollectedOutput, collect } from './bounded-output.ts';
import { ProcessFailure, type ProcessFailureCause, type ProcessRequest, type RunningProcess } from './process.ts';

/** The part of a child process that is guarded here. */
export interface ChildHandle {
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
    // Who reads the streams learns of a failure there first; `finished` may be awaited later.
    this.finished.catch(() => {});
  }

  kill(): void {
    this.#stop('aborted', 'was stopped');
  }

  #bound(source: Readable, name: string, limitBytes: number): Readable {
    const outlet = boundedStream(limitBytes, () =>
      this.#stop('output_limit', `wrote more than ${limitBytes} bytes to ${name}`),
    );
    // A reader that has gone away is no failure of the process; its own exit says how it took that.
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
    const onAbort = () => this.#stop('aborted', 'was stopped');
    request.signal.addEventListener('abort', onAbort, { once: true });
    if (request.signal.aborted) onAbort();
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
      request.signal.removeEventListener('abort', onAbort);
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
