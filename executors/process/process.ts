import { createRequire } from 'node:module';
import type { Server } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { processFailures } from '../../contract/causes/failures.ts';

/** Limits of one external process. Reaching any of them kills its whole group. */
export interface ProcessLimits {
  readonly wallMs: number;
  readonly cpuSeconds: number;
  /** Largest file it may write, in bytes. */
  readonly fileSizeBytes: number;
  readonly stdoutBytes: number;
  readonly stderrBytes: number;
  /** Memory that one process may have to write to, in bytes; see `MEMORY_BYTES` for each tool's. */
  readonly memoryBytes: number;
}

/**
 * The proxy of a process, and the one thing that it reaches where this machine has network namespaces. Without a proxy a
 * process reaches nothing there.
 */
export interface ProcessProxy {
  /** The variables by which tools find it at a port of 127.0.0.1. */
  environmentAt(port: number): Readonly<Record<string, string>>;
  /** Serves all connections of this listener, which belongs to the proxy from then on. */
  serve(listener: Server): void;
}

export interface ProcessRequest {
  /** Absolute path of the executable; no shell ever reads it. */
  readonly tool: string;
  readonly args: readonly string[];
  readonly limits: ProcessLimits;
  readonly signal: AbortSignal;
  readonly stdin?: 'ignore' | 'pipe';
  /** How many extra pipes the process writes to: file descriptors 3, 4, ... */
  readonly extraPipes?: number;
  /** More variables than PATH, HOME, TMPDIR and LC_ALL, where a tool cannot work without. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Only a process that is given one may reach a network. It has no extra pipes. */
  readonly proxy?: ProcessProxy;
  /** Files that lie in the private folder, its working directory, before it starts: plain names and their bytes. */
  readonly files?: readonly { readonly name: string; readonly bytes: Uint8Array }[];
  /** A file of the private folder that is read when the process has ended well, up to so many bytes. */
  readonly result?: { readonly name: string; readonly maximumBytes: number };
}

export interface ProcessOutput {
  readonly stdout: Buffer;
  readonly stderr: Buffer;
  /** The file for the result; null if the caller named none. */
  readonly result: Buffer | null;
}

/** A process under way. Every readable must be drained, or the process blocks. */
export interface RunningProcess {
  readonly stdin: Writable | null;
  readonly stdout: Readable;
  readonly extra: readonly Readable[];
  /** Resolves after exit code 0 with the (bounded) stderr and the result file; rejects with `ProcessFailure` otherwise. */
  readonly finished: Promise<{ readonly stderr: Buffer; readonly result?: Buffer | null }>;
  /** Kills the group at once; `finished` settles. */
  kill(): void;
}

/** `launch_failed`: the host could not make the private folder or start a process at all. */
export type ProcessFailureCause = (typeof processFailures)[number];

/** The one way in which an external process fails. `message` begins with the cause word. */
export class ProcessFailure extends Error {
  readonly reason: ProcessFailureCause;
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  constructor(
    reason: ProcessFailureCause,
    detail: string,
    outcome: { exitCode?: number | null; stdout?: string; stderr?: string } = {},
  ) {
    super(`${reason}: ${detail}`);
    this.name = 'ProcessFailure';
    this.reason = reason;
    this.exitCode = outcome.exitCode ?? null;
    this.stdout = outcome.stdout ?? '';
    this.stderr = outcome.stderr ?? '';
  }
}

/** Starts external processes inside a sandbox: private folder, bare environment, own group, limits. */
export interface Launcher {
  /** Runs to the end and collects both outputs. Rejects with `ProcessFailure`. */
  run(request: ProcessRequest): Promise<ProcessOutput>;
  /** Starts a process whose outputs are read while it runs. */
  start(request: ProcessRequest): Promise<RunningProcess>;
  /** Kills everything that still runs and removes the private folders. */
  close(): Promise<void>;
}

const GIBIBYTE = 1024 ** 3;

/**
 * The memory that one process of each kind may have to write to, in bytes. It is heap, stacks and private mappings, as Linux
 * counts them for RLIMIT_DATA (getrlimit(2)). Address space would not help: Node and other JavaScript runtimes
 * reserve far more of it than they use. Each limit comes with the most that was measured.
 */
export const MEMORY_BYTES = {
  /** Saying a version takes 50 MiB; a tool that comes as a single file unpacks itself first. */
  version: GIBIBYTE,
  /** ffprobe and ffmpeg that only read packets, here or at a host: 40 MiB, and up to 256 MiB for one allocation. */
  packets: 2 * GIBIBYTE,
  /** Subtitles are text; the packets of the other tracks are read past. */
  subtitles: 2 * GIBIBYTE,
  /** A decoder of 16 threads holds a score of frames and more, 192 MiB each at the largest sizes and depths; 0.8 GiB for 8K. */
  decode: 6 * GIBIBYTE,
  /** The detector process takes 140 MiB with both models. */
  detector: GIBIBYTE,
} as const;

/**
 * The arguments with which this very Node runs a process of this program. It is the built file beside the built program, or the
 * source, a module URL. The sources go through the half of tsx that needs no thread of its own. With the other one the process
 * takes twice as long to start.
 */
export function ownEntry(source: URL): readonly string[] {
  const name = /([^/]+)\.ts$/.exec(source.pathname)?.[1] ?? '';
  if (!import.meta.url.endsWith('.ts')) return [fileURLToPath(new URL(`./${name}.js`, import.meta.url))];
  const loader = createRequire(import.meta.url).resolve('tsx/cjs');
  return ['--require', loader, '--eval', `require(${JSON.stringify(fileURLToPath(source))})`];
}
