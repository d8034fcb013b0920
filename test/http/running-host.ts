import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { patienceMs, within } from '../patience.ts';
import { withoutDownloader } from '../without-downloader.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url));
/** A long experiment can run at a lower priority, so that the machine stays usable. */
const hostPatienceMs = process.env.MEDIA_STUDY_TEST_SOAK === '1' ? 400_000 : patienceMs;

export interface HostOptions {
  readonly flags: readonly string[];
  /** Added to the test's own environment. */
  readonly environment?: Readonly<Record<string, string>>;
}

export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/**
 * One real host process: the command line in, its stdout and stderr, and how it ended. It has a downloader if the test
 * gives it a video host, or the environment names one.
 */
export class RunningHost {
  readonly #child: ChildProcess;
  readonly ended: Promise<Ending>;
  stdout = '';
  stderr = '';
  #onRequest: () => void = () => undefined;

  constructor({ flags, environment }: HostOptions) {
    this.#child = spawn(process.execPath, ['build/serve.js', ...flags], {
      cwd: repository,
      env: { ...process.env, ...(flags.includes('--videohost-origin') ? {} : withoutDownloader), ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.stdout += text;
      this.#onRequest();
    });
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
    });
    this.ended = once(this.#child, 'close').then(([code, signal]) => ({ code, signal }));
  }

  /** The host's description of itself once it listens. Rejects if it ends before that. */
  async announced(): Promise<Readonly<Record<string, unknown>>> {
    const line = new Promise<string>((resolve, reject) => {
      this.#onRequest = () => {
        if (this.stdout.includes('\n')) resolve(this.stdout);
      };
      this.#onRequest();
      this.ended.then(() => reject(new Error(`the host ended early: ${this.stderr}`)));
    });
    return JSON.parse(await within('the host to listen', line, hostPatienceMs));
  }

  /** Closes both outputs, as a pager or a collector of logs does that ends. */
  stopReading(): void {
    this.#child.stdout?.destroy();
    this.#child.stderr?.destroy();
  }

  /** Asks it to stop, as a service manager would. */
  stop(): Promise<Ending> {
    return this.#end('SIGTERM');
  }

  /** Pulls the plug. */
  kill(): Promise<Ending> {
    return this.#end('SIGKILL');
  }

  #end(signal: NodeJS.Signals): Promise<Ending> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) this.#child.kill(signal);
    return within(`the end after ${signal}`, this.ended, hostPatienceMs);
  }
}
