import { z } from 'zod';
import type { Clock } from '../../../contract/base/clock.ts';
import { type EvidenceArtifact, parameters } from '../../../contract/evidence/evidence.ts';
import { type ReadText, readText } from '../../../contract/screentext.ts';
import { encodeFrame, FrameReader } from '../../../executors/detector/detector-messages.ts';
import {
  type Launcher,
  ownEntry,
  ProcessFailure,
  type ProcessLimits,
  type RunningProcess,
} from '../../../executors/process/process.ts';
import { DetectionFailure } from '../../../kinds/detection-failure.ts';
import type { LanguageData } from './language-data.ts';
import type { TesseractAnswer, TesseractRequest } from './tesseract-messages.ts';

const count = z.number().int().nonnegative();

/** The answers of the process. They come from a library that read pictures of strangers. */
const answerSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('ready'), core: z.string().regex(/^[a-z-]{1,32}$/), parameters }),
  z.strictObject({ type: z.literal('texts'), id: count, texts: z.array(readText) }),
  z.strictObject({ type: z.literal('failed'), id: count, reason: z.string().max(200) }),
]) satisfies z.ZodType<TesseractAnswer>;

/** The engine could not read one picture. It reads the next one. */
export class UnreadablePicture extends DetectionFailure {
  constructor(reason: string) {
    super(`the engine could not read a picture: ${reason}`);
    this.name = 'UnreadablePicture';
  }
}

const MEBIBYTE = 1024 * 1024;

// Each answer has a limit of its own; these only end a process gone wild. It reads the pictures of a whole study: for
// one with thirty lines it answers 5 kB, and says a word on each.
const LIMITS: ProcessLimits = {
  wallMs: 24 * 60 * 60 * 1000,
  cpuSeconds: 12 * 60 * 60,
  fileSizeBytes: MEBIBYTE,
  stdoutBytes: 4096 * MEBIBYTE,
  stderrBytes: 64 * MEBIBYTE,
  // It takes 290 MiB with two languages.
  memoryBytes: 2 * 1024 ** 3,
};

// A picture takes a second or two. The engine reads the worst that passes for no noise twice, each time for 20 s on one core.
const UNANSWERED_MS = 600_000;

/** One process of the engine, which reads one picture after the other. */
export class TesseractConnection {
  readonly #running: RunningProcess;
  readonly #clock: Clock;
  readonly #answers: AsyncGenerator<TesseractAnswer, void>;
  #nextId = 1;
  #isStuck = false;

  private constructor(running: RunningProcess, clock: Clock) {
    this.#running = running;
    this.#clock = clock;
    running.stdout.resume();
    // The callers that wait for an answer get the failure.
    running.finished.catch(() => undefined);
    running.stdin?.on('error', () => undefined);
    this.#answers = answersOf(running);
  }

  /**
   * Starts a process and waits until it has its languages. `core` names the form of the engine, `parameters` all that the reading is
   * set to. Rejects with `ProcessFailure`.
   */
  static async open(
    { launcher, clock }: { readonly launcher: Launcher; readonly clock: Clock },
    data: readonly LanguageData[],
    signal: AbortSignal,
  ): Promise<{ connection: TesseractConnection; core: string; parameters: EvidenceArtifact['parameters'] }> {
    const running = await launcher.start({
      tool: process.execPath,
      args: ownEntry(new URL('./tesseract-process.ts', import.meta.url)),
      limits: LIMITS,
      signal,
      stdin: 'pipe',
      extraPipes: 1,
      files: data.map(({ fileName, bytes }) => ({ name: fileName, bytes })),
    });
    const connection = new TesseractConnection(running, clock);
    const answer = await connection.#ask({ type: 'open', languages: data.map(({ language }) => language) });
    if (answer.type !== 'ready') throw connection.#misread();
    return { connection, core: answer.core, parameters: answer.parameters };
  }

  /**
   * Every line that the engine sees in a picture (PGM), however sure it is; the surer ones were looked at again. One picture at a time.
   * Rejects with `UnreadablePicture` if the engine fails over this picture in every way, else with `ProcessFailure` or
   * `DetectionFailure`.
   */
  async read(picture: Uint8Array): Promise<readonly ReadText[]> {
    const id = this.#nextId++;
    const answer = await this.#ask({ type: 'read', id }, picture);
    if (answer.type === 'failed' && answer.id === id) throw new UnreadablePicture(answer.reason);
    if (answer.type !== 'texts' || answer.id !== id) throw this.#misread();
    return answer.texts;
  }

  /** Lets the process end; kills it if it does not. */
  async close(): Promise<void> {
    this.#running.stdin?.end();
    const timer = this.#clock.setTimeout(() => this.#running.kill(), UNANSWERED_MS);
    await this.#running.finished.catch(() => undefined);
    this.#clock.clearTimeout(timer);
  }

  async #ask(request: TesseractRequest, payload?: Uint8Array): Promise<TesseractAnswer> {
    const timer = this.#clock.setTimeout(() => {
      this.#isStuck = true;
      this.#running.kill();
    }, UNANSWERED_MS);
    try {
      this.#running.stdin?.write(encodeFrame(request, payload));
      const { value } = await this.#answers.next();
      if (value !== undefined) return value;
    } catch (error) {
      if (error instanceof ProcessFailure) throw error;
      throw this.#misread();
    } finally {
      this.#clock.clearTimeout(timer);
    }
    if (this.#isStuck) throw new ProcessFailure('deadline', 'the process that reads the screen stopped answering');
    await this.#running.finished;
    throw new DetectionFailure('the process that reads the screen ended before its answer');
  }

  #misread(): DetectionFailure {
    this.#running.kill();
    return new DetectionFailure('the process that reads the screen answered in an unknown form');
  }
}

async function* answersOf({ extra }: RunningProcess): AsyncGenerator<TesseractAnswer, void> {
  const frames = new FrameReader();
  for (const pipe of extra) {
    for await (const chunk of pipe) {
      for (const { header } of frames.push(chunk)) yield answerSchema.parse(header);
    }
  }
}
