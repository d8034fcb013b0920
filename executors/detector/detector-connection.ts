import { z } from 'zod';
import type { Clock } from '../../contract/base/clock.ts';
import { sha256Hex } from '../../contract/base/grammar.ts';
import { onAbort } from '../../formats/followed-signal.ts';
import { DetectionFailure } from '../../kinds/detection-failure.ts';
import { CHANNELS } from '../../kinds/sound/sound-signals.ts';
import {
  type Launcher,
  MEMORY_BYTES,
  ownEntry,
  ProcessFailure,
  type ProcessLimits,
  type RunningProcess,
} from '../process/process.ts';
import { type DetectorAnswer, type DetectorRequest, FrameReader, frameHead } from './detector-messages.ts';

// One process serves many jobs, each bounded by its caller; these limits only end a process gone wild.
const LIMITS: ProcessLimits = {
  wallMs: 24 * 60 * 60 * 1000,
  cpuSeconds: 6 * 60 * 60,
  fileSizeBytes: 1024 * 1024,
  stdoutBytes: 256 * 1024 * 1024,
  stderrBytes: 1024 * 1024,
  memoryBytes: MEMORY_BYTES.detector,
};

// Far longer than the work that can lie before a request in the pipe, also on a busy machine. With 10 s, the end of one job there
// failed every other job of the process.
const UNANSWERED_MS = 120_000;

const index = z.number().int().nonnegative();
const span = z.tuple([index, index]);
const identifiedText = z.strictObject({
  isCovered: z.boolean(),
  odds: z.array(z.tuple([z.string().min(1), z.number().nonnegative()])),
});
const answerSchema = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('sound'),
    id: index,
    samples: index,
    sha256: sha256Hex,
    speech: z.array(span),
    unconfirmed: z.array(span),
    apart: z.strictObject({ channels: z.array(z.literal(CHANNELS)), ms: index }),
    silences: z.strictObject({
      levels: z.strictObject({
        programmeDbfs: z.number().nullable(),
        floorDbfs: z.number().nullable(),
        thresholdDbfs: z.number(),
      }),
      spans: z.array(span),
    }),
  }),
  z.strictObject({ type: z.literal('languages'), id: index, texts: z.array(identifiedText) }),
  z.strictObject({ type: z.literal('saved'), id: index, samples: index }),
  z.strictObject({ type: z.literal('aborted'), id: index }),
]) satisfies z.ZodType<DetectorAnswer>;

/** An answer and the bytes that came with it. */
type Answered = DetectorAnswer & { readonly payload: Buffer };

interface Waiting {
  resolve(answer: Answered): void;
  reject(reason: unknown): void;
}

/** One detector process and the answers that are awaited from it. Once lost, it fails everything with the one reason. */
export class DetectorConnection {
  readonly #running: RunningProcess;
  readonly #clock: Clock;
  readonly #waiting = new Map<number, Waiting>();
  #room: Promise<unknown> | null = null;
  #verdict: Error | null = null;
  #lost: Error | null = null;
  /** Resolves when the process is gone; never rejects. */
  readonly ended: Promise<void>;

  constructor(running: RunningProcess, clock: Clock) {
    this.#running = running;
    this.#clock = clock;
    // The output of libraries is not used, but a full pipe would stop the process.
    running.stdout.resume();
    this.ended = this.#serve();
  }

  /** Starts a process. Rejects with `ProcessFailure`. */
  static async open(launcher: Launcher, clock: Clock, signal: AbortSignal): Promise<DetectorConnection> {
    const args = ownEntry(new URL('./detector-process.ts', import.meta.url));
    const request = { tool: process.execPath, args, limits: LIMITS, signal, stdin: 'pipe', extraPipes: 1 } as const;
    return new DetectorConnection(await launcher.start(request), clock);
  }

  /** Resolves when the process has room for more. */
  async send(request: DetectorRequest, payload?: Uint8Array): Promise<void> {
    if (this.#lost !== null) throw this.#lost;
    const { stdin } = this.#running;
    // The payload is not copied behind its head: both are written at once.
    stdin?.cork();
    let hasRoom = stdin?.write(frameHead(request, payload));
    if (payload !== undefined) hasRoom = stdin?.write(payload);
    stdin?.uncork();
    if (hasRoom === true) return;
    this.#room ??= Promise.race([new Promise((resolve) => stdin?.once('drain', resolve)), this.ended]).finally(() => {
      this.#room = null;
    });
    await this.#room;
  }

  /** The one answer to the request with this id. */
  answerTo(id: number): Promise<Answered> {
    if (this.#lost !== null) return Promise.reject(this.#lost);
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
  }

  /** Gives a request up. A process that does not confirm it is stuck, and killed. */
  async abandon(id: number): Promise<void> {
    const confirmed = this.answerTo(id);
    const stuck = new ProcessFailure('deadline', 'the detector process stopped answering');
    const timer = this.#clock.setTimeout(() => this.#condemn(stuck), UNANSWERED_MS);
    try {
      await Promise.all([this.send({ type: 'abort', id }), confirmed]);
    } catch {
      // Nothing is left to be given up in a process that is gone.
    } finally {
      this.#clock.clearTimeout(timer);
    }
  }

  /** Lets the process finish what it has and end by itself. */
  async retire(): Promise<void> {
    this.#running.stdin?.end();
    const timer = this.#clock.setTimeout(() => this.kill(), UNANSWERED_MS);
    await this.ended;
    this.#clock.clearTimeout(timer);
  }

  kill(): void {
    this.#running.kill();
  }

  #condemn(reason: Error): void {
    this.#verdict ??= reason;
    this.kill();
  }

  async #serve(): Promise<void> {
    try {
      await this.#readAnswers();
    } catch (error) {
      if (!(error instanceof ProcessFailure)) {
        this.#condemn(new DetectionFailure('the detector process answered in an unknown form'));
      }
    }
    const reason = await this.#running.finished.then(
      () => new DetectionFailure('the detector process ended before its answer'),
      (failure: Error) => failure,
    );
    this.#lost = this.#verdict ?? reason;
    for (const { reject } of this.#waiting.values()) reject(this.#lost);
    this.#waiting.clear();
  }

  async #readAnswers(): Promise<void> {
    const frames = new FrameReader();
    for (const pipe of this.#running.extra) {
      for await (const chunk of pipe) {
        for (const { header, payload } of frames.push(chunk)) this.#deliver({ ...answerSchema.parse(header), payload });
      }
    }
  }

  // An answer without a request was on its way when its request was given up.
  #deliver(answer: Answered): void {
    this.#waiting.get(answer.id)?.resolve(answer);
    this.#waiting.delete(answer.id);
  }
}

/** One request to the detector process from its first message to its answer, given up when its signal says so. */
export class DetectorTask {
  readonly id: number;
  /** Rejects with `ProcessFailure` or `DetectionFailure`; may be left unobserved. */
  readonly answer: Promise<Answered>;
  readonly #connecting: Promise<DetectorConnection>;
  readonly #signal: AbortSignal;

  constructor(id: number, connecting: Promise<DetectorConnection>, signal: AbortSignal) {
    this.id = id;
    this.#connecting = connecting;
    this.#signal = signal;
    this.answer = this.#await();
    this.answer.catch(() => {});
  }

  /** Resolves when the process has room for more; nothing is sent of a request that was given up. */
  async send(type: Extract<DetectorRequest, { id: number }>['type'], payload?: Uint8Array): Promise<void> {
    const connection = await this.#connecting;
    if (this.#signal.aborted) throw stopped();
    await connection.send({ type, id: this.id }, payload);
  }

  async #await(): Promise<Answered> {
    if (this.#signal.aborted) throw stopped();
    let stopListening = () => {};
    const aborted = new Promise<never>((_resolve, reject) => {
      stopListening = onAbort(this.#signal, () => {
        this.#connecting.then((connection) => connection.abandon(this.id)).catch(() => {});
        reject(stopped());
      });
    });
    try {
      return await Promise.race([this.#connecting.then((connection) => connection.answerTo(this.id)), aborted]);
    } finally {
      stopListening();
    }
  }
}

const stopped = () => new ProcessFailure('aborted', 'the detection was stopped');
