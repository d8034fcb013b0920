import { basename } from 'node:path';
import type { SandboxedLauncher } from '../../executors/process/launcher.ts';
import {
  ProcessFailure,
  type ProcessOutput,
  type ProcessRequest,
  type RunningProcess,
} from '../../executors/process/process.ts';

/** The media tools, which a host inside a test may start. Its detector stays away: its models take a second to load. */
const mediaTools = /^(ffmpeg|ffprobe)$/;

/**
 * The launcher of a host inside a test. Without `real` it starts nothing: whatever the host asks for fails with `launch_failed`.
 * With it, ffmpeg and ffprobe run. While it `hold`s, every process waits, so that work stays under way.
 */
export class TestLauncher implements SandboxedLauncher {
  readonly sandbox: SandboxedLauncher['sandbox'];
  /** The tools that the host asked for, in order, as the names of their files. */
  readonly asked: string[] = [];
  readonly #real: SandboxedLauncher | null;
  #held: Promise<void> | null = null;
  #release: () => void = () => undefined;
  #closed = new AbortController();

  constructor(real: SandboxedLauncher | null) {
    this.#real = real;
    const none = { parentDeathSignal: true, pidNamespace: 'none', network: 'shared', resourceLimits: false } as const;
    this.sandbox = real?.sandbox ?? none;
  }

  get running(): number {
    return this.#real?.running ?? 0;
  }

  isInUse(folder: string): boolean {
    return this.#real?.isInUse(folder) ?? false;
  }

  /** From now on processes wait until `release`. */
  hold(): void {
    this.#held ??= new Promise((resolve) => {
      this.#release = resolve;
    });
  }

  release(): void {
    this.#held = null;
    this.#release();
  }

  async run(request: ProcessRequest): Promise<ProcessOutput> {
    return (await this.#launcherFor(request)).run(request);
  }

  async start(request: ProcessRequest): Promise<RunningProcess> {
    return (await this.#launcherFor(request)).start(request);
  }

  async close(): Promise<void> {
    this.#closed.abort();
    await this.#real?.close();
  }

  async #launcherFor({ tool, signal }: ProcessRequest): Promise<SandboxedLauncher> {
    const name = basename(tool);
    this.asked.push(name);
    const stop = AbortSignal.any([signal, this.#closed.signal]);
    const stopped = new Promise<void>((resolve) => stop.addEventListener('abort', () => resolve(), { once: true }));
    if (this.#held !== null && !stop.aborted) await Promise.race([this.#held, stopped]);
    if (stop.aborted) throw new ProcessFailure('aborted', 'stopped before it began');
    if (this.#real !== null && mediaTools.test(name)) return this.#real;
    throw new ProcessFailure('launch_failed', `this host starts no ${name}`);
  }
}
