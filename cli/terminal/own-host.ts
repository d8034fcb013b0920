import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { dataRootAt } from '../../storage/objects/data-root.ts';
import { followHandover, type Handover, spawnHost } from '../host-keeper.ts';

/** The code of the host's message if another host or a command has its data root. */
const locked = 'data_root_locked:';

/**
 * The cause of a failed start in the lines of the process: its error, if Node printed that before the stack; else its last line.
 */
export function causeIn(said: readonly string[]): string {
  const mark = said.findLastIndex((line) => /^\s*\^+$/.test(line));
  const thrown = mark < 0 ? undefined : said.slice(mark + 1).find((line) => line.trim() !== '');
  return thrown ?? said.find((line) => line.startsWith('FATAL ERROR: ')) ?? said.at(-1) ?? 'it printed nothing';
}

/** The host of a command did not start, or is not reached. */
export class StartRefused extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'StartRefused';
  }
}

/** A host that a command starts for itself, and that ends with it. */
export class OwnHost {
  readonly #dataRoot: string;
  readonly #signal: AbortSignal | undefined;
  readonly #report: (line: string) => void;
  #child: ChildProcess | null = null;
  #refusal = causeIn([]);
  #isClosed = false;
  /** One has ended to be started again, and its successor has no process yet. */
  #isRestarting = false;

  constructor(dataRoot: string, signal: AbortSignal | undefined, report: (line: string) => void) {
    this.#dataRoot = dataRoot;
    this.#signal = signal;
    this.#report = report;
  }

  /**
   * Starts it and waits until it listens. With a handover it takes the place of a restarting host. `false` if another process has
   * the data root. Throws `StartError` `invalid_settings`, and the cause of any other failure.
   */
  async start(next: Handover | null = null): Promise<boolean> {
    // The end of the process would have no code for a fault in the settings. They name the options of all features, which are a good
    // part of the program: without a file of them none is read here.
    const { settings } = dataRootAt(this.#dataRoot);
    if (existsSync(settings)) await (await import('../settings/settings-file.ts')).readSettings(settings);
    if (this.#isClosed) return false;
    // One that runs holds the data root, and would be left behind.
    await this.#endChild();
    const flags = ['--port', '0', '--data-root', this.#dataRoot];
    const child = spawnHost(flags, ['ignore', 'pipe', 'pipe', 'ipc'], next);
    this.#child = child;
    this.#isRestarting = false;
    const handover = followHandover(child);
    child.once('close', () => {
      const after = handover();
      if (after === null || this.#isClosed) return;
      this.#isRestarting = true;
      this.start(after).catch((error: Error) => this.#report(error.message));
    });
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
  refused(): StartRefused {
    return new StartRefused(`no host could be started: ${this.#refusal}`);
  }

  /** It runs, and cannot be reached. */
  lost(): StartRefused {
    return new StartRefused(
      `the host that this command started for itself (process ${this.#child?.pid}) listens, and this command does not reach it; see whether a firewall or a proxy takes what is sent to 127.0.0.1`,
    );
  }

  /** True if it was started, and has not ended; also while it restarts. */
  get runs(): boolean {
    return this.#isRestarting || this.#isAlive;
  }

  get #isAlive(): boolean {
    return this.#child !== null && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Ends it, where it was started. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#endChild();
  }

  async #endChild(): Promise<void> {
    const child = this.#child;
    if (child === null || !this.#isAlive) return;
    const ended = once(child, 'close');
    child.kill('SIGTERM');
    // A process that was stopped takes the other signal only then.
    child.kill('SIGCONT');
    await ended;
  }
}

const isListening = (child: ChildProcess): Promise<boolean> =>
  new Promise((resolve) => {
    if (child.stdout !== null) createInterface({ input: child.stdout }).once('line', () => resolve(true));
    child.once('close', () => resolve(false));
  });
