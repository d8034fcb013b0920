import { randomUUID } from 'node:crypto';
import { basename } from 'node:path';
import { openLauncher, probeSandbox, type SandboxedLauncher } from '../../executors/process/launcher.ts';
import {
  ProcessFailure,
  type ProcessOutput,
  type ProcessRequest,
  type RunningProcess,
} from '../../executors/process/process.ts';
import { startDetector } from './detector-in-process.ts';

/** The media tools, which a host inside a test may start. */
const mediaTools = /^(ffmpeg|ffprobe)$/;

/** Permissions of this machine around a process: found by starting some, once for all hosts of a test process. */
let sandbox: ReturnType<typeof probeSandbox> | undefined;

/** A launcher that really starts processes, in private folders below `workRoot`. */
export function openRealLauncher(workRoot: string): Promise<SandboxedLauncher> {
  sandbox ??= probeSandbox();
  return openLauncher({ workRoot, newId: randomUUID, sandbox });
}

/**
 * The launcher of a host inside a test. Without `real` it starts nothing: whatever the host asks for fails with `launch_failed`.
 * With it, ffmpeg and ffprobe run, and a detector without models. While it `hold`s, every process waits, so that work stays under way.
 */
export class TestLauncher implements SandboxedLauncher {
  readonly sandbox: SandboxedLauncher['sandbox'];
  /** The tools that the host asked for, in order, as the names of their files. */
  readonly asked: string[] = [];
  readonly #real: SandboxedLauncher | null;
  readonly #hasDownloader: boolean;
  #detectors = 0;
  #held: Promise<void> | null = null;
  #heldTools = /./;
  #release: () => void = () => undefined;
  #closed = new AbortController();

  /** With a downloader it answers for yt-dlp that it is there, in a network of its own; no download begins. */
  constructor(real: SandboxedLauncher | null, hasDownloader = false) {
    this.#real = real;
    this.#hasDownloader = hasDownloader;
    const network = hasDownloader ? 'own' : 'shared';
    const none = { parentDeathSignal: true, pidNamespace: 'none', network, resourceLimits: false } as const;
    this.sandbox = real?.sandbox ?? none;
  }

  get running(): number {
    return (this.#real?.running ?? 0) + this.#detectors;
  }

  isInUse(folder: string): boolean {
    return this.#real?.isInUse(folder) ?? false;
  }

  /** From now on processes wait until `release`; only those of some tools if they are named. */
  hold(tools = /./): void {
    this.#heldTools = tools;
    this.#held ??= new Promise((resolve) => {
      this.#release = resolve;
    });
  }

  release(): void {
    this.#held = null;
    this.#release();
  }

  async run(request: ProcessRequest): Promise<ProcessOutput> {
    if (this.#hasDownloader && basename(request.tool) === 'yt-dlp' && request.args.includes('--version')) {
      return { stdout: Buffer.from('2026.01.01\n'), stderr: Buffer.alloc(0), result: null };
    }
    const launcher = await this.#launcherFor(request);
    if (launcher === null) throw new Error('the detector does not run to an end');
    return launcher.run(request);
  }

  async start(request: ProcessRequest): Promise<RunningProcess> {
    const launcher = await this.#launcherFor(request);
    if (launcher !== null) return launcher.start(request);
    const detector = startDetector(request.signal);
    this.#detectors += 1;
    const ended = () => {
      this.#detectors -= 1;
    };
    detector.finished.then(ended, ended);
    return detector;
  }

  async close(): Promise<void> {
    this.#closed.abort();
    await this.#real?.close();
  }

  /** Its launcher; null for the detector, which needs no process. */
  async #launcherFor({ tool, args, signal }: ProcessRequest): Promise<SandboxedLauncher | null> {
    const name = basename(tool);
    this.asked.push(name);
    const stop = AbortSignal.any([signal, this.#closed.signal]);
    const stopped = new Promise<void>((resolve) => stop.addEventListener('abort', () => resolve(), { once: true }));
    if (this.#held !== null && this.#heldTools.test(name) && !stop.aborted) await Promise.race([this.#held, stopped]);
    if (stop.aborted) throw new ProcessFailure('aborted', 'stopped before it began');
    if (this.#real !== null && args.some((each) => each.includes('detector-process'))) return null;
    if (this.#real !== null && mediaTools.test(name)) return this.#real;
    throw new ProcessFailure('launch_failed', `this host starts no ${name}`);
  }
}
