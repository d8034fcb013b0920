import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { withoutDownloader } from '../../without-downloader.ts';
import { ended, spawned } from './redis-for-tests.ts';

const program = fileURLToPath(new URL('../../../build/media-study.js', import.meta.url));

export interface WorkerPlace {
  readonly address: string;
  readonly objectSource: string;
  readonly environment?: NodeJS.ProcessEnv;
  /** More flags than those of the place. */
  readonly flags?: readonly string[];
}

/** A real worker process, as the command starts it. Others take its work over after a second of silence. */
export class WorkerProcess {
  readonly #child: ChildProcess;
  stderr = '';

  private constructor(child: ChildProcess) {
    this.#child = child;
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
    });
  }

  /** Starts one and resolves once it takes work. */
  static async start({ address, objectSource, environment, flags: more = [] }: WorkerPlace): Promise<WorkerProcess> {
    const flags = ['--work-queue', address, '--object-source', objectSource, '--lease-ms', '1000', ...more];
    const worker = new WorkerProcess(
      spawned(process.execPath, [program, 'worker', ...flags], { ...withoutDownloader, ...environment }),
    );
    const { stdout } = worker.#child;
    if (stdout === null) throw new Error('a worker has a stdout');
    const said = await Promise.race([once(stdout, 'data'), once(worker.#child, 'exit').then(() => null)]);
    if (said === null) throw new Error(`the worker ended: ${worker.stderr}`);
    return worker;
  }

  /** How many operations it has completed. */
  get completed(): number {
    return this.stderr.split(' completed in ').length - 1;
  }

  /** Holds it still, so that it seems dead; `wake` lets it go on. */
  freeze(): void {
    this.#child.kill('SIGSTOP');
  }

  wake(): void {
    this.#child.kill('SIGCONT');
  }

  stop(): Promise<void> {
    return ended(this.#child, 'SIGTERM');
  }

  kill(): Promise<void> {
    return ended(this.#child, 'SIGKILL');
  }
}
