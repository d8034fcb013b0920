import type { Clock } from '../../contract/base/clock.ts';
import type { ToolIdentity } from '../../contract/base/tool.ts';
import { type Launcher, ProcessFailure } from '../process/process.ts';
import { DetectionFailure } from './detection-failure.ts';
import { DetectorConnection } from './detector-connection.ts';
import type { DetectorModel, IdentifiedText } from './detector-messages.ts';
import { languageToolIdentity, speechToolIdentity } from './detector-models.ts';
import { DetectorTask } from './detector-task.ts';
import { DetectorSoundJob, type GoesOn, type SoundJob } from './sound-job.ts';

/** Who decides on speech and on languages. */
export interface DetectorTools {
  readonly speech: ToolIdentity;
  readonly language: ToolIdentity;
}

/** Measures sound and identifies languages in one process beside the host. Jobs reject with `ProcessFailure` or `DetectionFailure`. */
export interface Detector {
  /** Starts the process and loads models early, for work that is about to come. */
  warm(models: readonly DetectorModel[]): void;
  /**
   * Opens a job at once; several may be open at a time. One that `goesOn` from a kept job, or from the beginning, can be kept
   * itself.
   */
  sound(signal: AbortSignal, goesOn?: GoesOn): SoundJob;
  /** What the identifier says of each text. */
  identify(texts: readonly string[], signal: AbortSignal): Promise<readonly IdentifiedText[]>;
  /** Who decides, without starting the process. */
  tools(): Promise<DetectorTools>;
  /** Stops the process; jobs at hand and later ones reject with `aborted`. */
  close(): Promise<void>;
}

export interface DetectorOptions {
  readonly launcher: Launcher;
  readonly clock: Clock;
  /** How long the process is kept without work. */
  readonly idleMs: number;
}

/**
 * So many jobs one process is given. Its limits count from its start, and one that is never idle would come to them in the middle of
 * a job: after three hundred windows of five minutes it had answered more than it may.
 */
export const jobsOfAProcess = 32;

/** Nothing runs until the first use; a process that dies takes the jobs at hand along, and the next use starts a new one. */
export function openDetector(options: DetectorOptions): Detector {
  return new WarmDetector(options);
}

class WarmDetector implements Detector {
  readonly #options: DetectorOptions;
  readonly #stop = new AbortController();
  #connection: Promise<DetectorConnection> | null = null;
  #tools: Promise<DetectorTools> | null = null;
  #nextId = 1;
  /** The jobs that the process was given; each resolves when its job is over. */
  #given: Promise<void>[] = [];
  #busy = 0;
  #idleTimer: unknown = null;
  #retired: Promise<void> = Promise.resolve();

  constructor(options: DetectorOptions) {
    this.#options = options;
  }

  warm(models: readonly DetectorModel[]): void {
    // A process that does not start will tell the job that needs it.
    void this.#hold(async () => {
      const connection = await this.#connect();
      for (const model of models) await connection.send({ type: 'load', model });
    }).catch(() => {});
  }

  sound(signal: AbortSignal, goesOn?: GoesOn): SoundJob {
    return new DetectorSoundJob(this.#task(signal), goesOn);
  }

  async identify(texts: readonly string[], signal: AbortSignal): Promise<readonly IdentifiedText[]> {
    const task = this.#task(signal);
    const sent = task.send('identify', Buffer.from(JSON.stringify(texts), 'utf8'));
    sent.catch(() => {});
    const answer = await task.answer;
    if (answer.type === 'languages' && answer.texts.length === texts.length) return answer.texts;
    throw new DetectionFailure('the detector process identified something else than it was given');
  }

  tools(): Promise<DetectorTools> {
    this.#tools ??= Promise.all([speechToolIdentity(), languageToolIdentity()]).then(([speech, language]) => ({
      speech,
      language,
    }));
    return this.#tools;
  }

  async close(): Promise<void> {
    this.#stop.abort();
    this.#options.clock.clearTimeout(this.#idleTimer);
    const connection = await this.#connection?.catch(() => null);
    await Promise.all([connection?.ended, this.#retired]);
  }

  #task(signal: AbortSignal): DetectorTask {
    if (this.#given.length === jobsOfAProcess) this.#retire();
    const task = new DetectorTask(this.#nextId++, this.#connect(), signal);
    const over = () => {};
    this.#given.push(this.#hold(() => task.answer).then(over, over));
    return task;
  }

  async #connect(): Promise<DetectorConnection> {
    if (this.#stop.signal.aborted) throw new ProcessFailure('aborted', 'the detector is closed');
    if (this.#connection === null) {
      const opening = DetectorConnection.open(this.#options.launcher, this.#options.clock, this.#stop.signal);
      const forget = () => {
        if (this.#connection === opening) this.#connection = null;
      };
      opening.then(({ ended }) => ended.then(forget), forget);
      this.#connection = opening;
    }
    return this.#connection;
  }

  async #hold<T>(work: () => Promise<T>): Promise<T> {
    const { clock, idleMs } = this.#options;
    clock.clearTimeout(this.#idleTimer);
    this.#busy += 1;
    try {
      return await work();
    } finally {
      this.#busy -= 1;
      if (this.#busy === 0 && !this.#stop.signal.aborted)
        this.#idleTimer = clock.setTimeout(() => this.#retire(), idleMs);
    }
  }

  /** Gives the process no further job: it ends when those that it was given are over. */
  #retire(): void {
    const [connection, given] = [this.#connection, this.#given];
    this.#connection = null;
    this.#given = [];
    const ended = Promise.all(given).then(async () => (await connection)?.retire());
    this.#retired = Promise.all([this.#retired, ended.catch(() => {})]).then(() => {});
  }
}
