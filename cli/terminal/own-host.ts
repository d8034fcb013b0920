import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('media-study.js', import.meta.url));

/** The code of a host that found another one, or a command, on its data root. */
const locked = 'data_root_locked:';

/**
 * Why a process did not start, of the lines that it said: what it threw, where Node printed that with its stack, which comes behind
 * it; else its last line.
 */
export function causeIn(said: readonly string[]): string {
  const mark = said.findLastIndex((line) => /^\s*\^+$/.test(line));
  const thrown = mark < 0 ? undefined : said.slice(mark + 1).find((line) => line.trim() !== '');
  return thrown ?? said.find((line) => line.startsWith('FATAL ERROR: ')) ?? said.at(-1) ?? 'it said nothing';
}

/** A host that a command starts for itself, and that ends with it. */
export class OwnHost {
  readonly #dataRoot: string;
  readonly #signal: AbortSignal | undefined;
  readonly #flags: readonly string[];
  #child: ChildProcess | null = null;
  #refusal = causeIn([]);

  /** `flags` are those of a host. */
  constructor(dataRoot: string, signal: AbortSignal | undefined, flags: readonly string[]) {
    this.#dataRoot = dataRoot;
    this.#signal = signal;
    this.#flags = flags;
  }

  /** Starts it, and waits until it listens; `false` where something else has the data root. Throws why else it did not start. */
  async start(): Promise<boolean> {
    const flags = ['--port', '0', '--data-root', this.#dataRoot, ...this.#flags];
    const child = spawn(process.execPath, [program, 'serve', ...flags], {
      // The channel closes when this command ends, also by kill -9 or with its terminal, and the host ends with it.
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      // Ctrl-C ends this command, which then lets its host stop in order.
      detached: true,
    });
    this.#child = child;
    const said: string[] = [];
    if (child.stderr !== null) createInterface({ input: child.stderr }).on('line', (line) => said.push(line));
    const stop = () => void child.kill('SIGTERM');
    this.#signal?.addEventListener('abort', stop, { once: true });
    const listens = await isListening(child);
    this.#signal?.removeEventListener('abort', stop);
    if (listens) return true;
    this.#signal?.throwIfAborted();
    this.#refusal = causeIn(said);
    if (!this.#refusal.startsWith(locked)) throw this.refused();
    return false;
  }

  /** Why it did not start when it was tried last. */
  refused(): Error {
    return new Error(`no host could be started: ${this.#refusal}`);
  }

  /** Whether it was started, and has not ended. */
  get runs(): boolean {
    return this.#child !== null && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Ends it, where it was started. */
  async close(): Promise<void> {
    const child = this.#child;
    if (child === null || !this.runs) return;
    const ended = once(child, 'close');
    child.kill('SIGTERM');
    await ended;
  }
}

const isListening = (child: ChildProcess): Promise<boolean> =>
  new Promise((resolve) => {
    if (child.stdout !== null) createInterface({ input: child.stdout }).once('line', () => resolve(true));
    child.once('close', () => resolve(false));
  });
