import type { ToolIdentity } from '../../contract/base/artifact.ts';
import type { Clock } from '../../contract/base/clock.ts';
import { DetectionFailure } from '../../kinds/detection-failure.ts';
import type { SoundResult } from '../../kinds/sound/sound-result.ts';
import { BYTES_PER_INSTANT, SAMPLES_PER_MS, type SampleSpan, SIGNALS } from '../../kinds/sound/sound-signals.ts';
import { type Launcher, ProcessFailure } from '../process/process.ts';
import { DetectorConnection, DetectorTask } from './detector-connection.ts';
import type { DetectorModel, IdentifierAnswer } from './detector-messages.ts';
import { languageToolIdentity, speechToolIdentity } from './detector-models.ts';
import { packState, unpackState } from './packed-state.ts';
import type { SavedStream } from './sound-stream.ts';

/** A sound being measured while it is decoded. */
export interface SoundJob {
  /** Takes all signals (s16le at 16 kHz, interleaved); resolves when there is room for more. What comes after a failure is dropped. */
  write(chunk: Uint8Array): Promise<void>;
  /** Says that nothing more comes. */
  end(): Promise<SoundResult>;
  /** Ends a job that was opened to be kept before the sound has ended: what another goes on from. */
  save(): Promise<KeptSound>;
  /** The result of `save`; like `result`. */
  readonly saved: Promise<KeptSound>;
  /** The result of `end`; rejects as soon as the job has failed. May be left unobserved. */
  readonly result: Promise<SoundResult>;
}

/** A sound that was measured up to some sample, and what the measurement goes on from. */
export interface KeptSound {
  readonly samples: number;
  /** For the detector process alone. */
  readonly state: Uint8Array;
  /** The levels by the millisecond, from the beginning. */
  readonly levels: Uint8Array;
}

/** The state that a job goes on from; null for the beginning of a sound. */
interface ResumedSound {
  readonly from: KeptSound | null;
}

// Half a minute of sound: about what a decoder gets through while the process starts and loads its model.
const QUEUE_BYTES = 4 * 1024 * 1024;

class DetectorSoundJob implements SoundJob {
  readonly result: Promise<SoundResult>;
  readonly saved: Promise<KeptSound>;
  readonly #task: DetectorTask;
  readonly #before: KeptSound | null;
  #tail: Promise<void>;
  #queued = 0;
  #written = 0;

  constructor(task: DetectorTask, resumed?: ResumedSound) {
    this.#task = task;
    this.#before = resumed?.from ?? null;
    this.#written = (this.#before?.samples ?? 0) * BYTES_PER_INSTANT;
    const opened = resumed === undefined ? task.send('open') : task.send('resume', this.#packed());
    this.#tail = opened.catch(() => {});
    this.result = this.#finish();
    this.result.catch(() => {});
    this.saved = this.#kept();
    this.saved.catch(() => {});
  }

  async write(chunk: Uint8Array): Promise<void> {
    this.#queued += chunk.length;
    this.#written += chunk.length;
    this.#append(async () => {
      await this.#task.send('audio', chunk);
      this.#queued -= chunk.length;
    });
    if (this.#queued > QUEUE_BYTES) await Promise.race([this.#tail, this.#task.answer]);
  }

  end(): Promise<SoundResult> {
    this.#append(() => this.#task.send('end'));
    return this.result;
  }

  save(): Promise<KeptSound> {
    this.#append(() => this.#task.send('save'));
    return this.saved;
  }

  async #kept(): Promise<KeptSound> {
    const answer = await this.#task.answer;
    if (answer.type !== 'saved' || answer.samples * BYTES_PER_INSTANT !== this.#written) throw odd();
    const { state, levels } = unpackState(answer.payload) as SavedStream;
    const earlier = this.#before?.levels ?? Buffer.alloc(0);
    return { samples: answer.samples, state: packState(state), levels: Buffer.concat([earlier, levels]) };
  }

  #packed(): Uint8Array {
    if (this.#before === null) return Buffer.alloc(0);
    const { state, levels } = this.#before;
    return packState({ state: unpackState(state), levels });
  }

  // A message that cannot be sent means that the process is lost, which the answer says.
  #append(send: () => Promise<void>): void {
    this.#tail = this.#tail.then(send).catch(() => {});
  }

  async #finish(): Promise<SoundResult> {
    const answer = await this.#task.answer;
    if (answer.type !== 'sound' || answer.samples * BYTES_PER_INSTANT !== this.#written) throw odd();
    const { samples, sha256, apart, silences } = answer;
    return {
      samples,
      contentId: `sha256:${sha256}`,
      speech: spansOf(ordered(answer.speech, samples)),
      unconfirmed: spansOf(ordered(answer.unconfirmed, samples)),
      apart: { channels: apart.channels.map((at) => SIGNALS[at] ?? ''), ms: apart.ms },
      silences: { ...silences, spans: ordered(silences.spans, samples / SAMPLES_PER_MS) },
    };
  }
}

type Span = readonly [number, number];

const spansOf = (spans: readonly Span[]): SampleSpan[] => spans.map(([start, end]) => ({ start, end }));

function ordered(spans: readonly Span[], end: number): readonly Span[] {
  let covered = 0;
  for (const [from, to] of spans) {
    if (from < covered || to <= from || to > end) throw odd();
    covered = to;
  }
  return spans;
}

const odd = () => new DetectionFailure('the detector process measured something else than it was given');

/** The tools that decide on speech and on languages. */
export interface DetectorTools {
  readonly speech: ToolIdentity;
  readonly language: ToolIdentity;
}

/** Measures sound and identifies languages in one process beside the host. Jobs reject with `ProcessFailure` or `DetectionFailure`. */
export interface Detector {
  /** Starts the process and loads models early, for work that is about to come. */
  warm(models: readonly DetectorModel[]): void;
  /**
   * Opens a job at once; several may be open at a time. One that is `resumed` from a kept job, or from the beginning, can be kept
   * itself.
   */
  sound(signal: AbortSignal, resumed?: ResumedSound): SoundJob;
  /** The answer of the identifier for each text. */
  identify(texts: readonly string[], signal: AbortSignal): Promise<readonly IdentifierAnswer[]>;
  /** The tools, without starting the process. */
  tools(): Promise<DetectorTools>;
  /** Stops the process; jobs at hand and later ones reject with `aborted`. */
  close(): Promise<void>;
}

interface DetectorOptions {
  readonly launcher: Launcher;
  readonly clock: Clock;
  /** How long the process is kept without work. */
  readonly idleMs: number;
}

/**
 * The most jobs of one process. Its limits count from its start, and one that is never idle would reach them in the middle of a
 * job. After three hundred windows of five minutes it had exceeded the limit of its answers.
 */
export const jobsOfAProcess = 32;

/** A detector process is ended after this long without work, in ms. */
export const detectorIdleMs = 60_000;

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

  sound(signal: AbortSignal, resumed?: ResumedSound): SoundJob {
    return new DetectorSoundJob(this.#task(signal), resumed);
  }

  async identify(texts: readonly string[], signal: AbortSignal): Promise<readonly IdentifierAnswer[]> {
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
