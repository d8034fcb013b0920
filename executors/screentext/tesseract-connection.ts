import { z } from 'zod';
import type { Clock } from '../../contract/base/clock.ts';
import { cutText, labelLine } from '../../contract/base/grammar.ts';
import { maximumScreenTextCharacters, type ScreenBox } from '../../contract/evidence/evidence.ts';
import type { ReadText } from '../../contract/screentext.ts';
import { DetectionFailure } from '../detector/detection-failure.ts';
import { encodeFrame, FrameReader } from '../detector/detector-messages.ts';
import {
  type Launcher,
  MEMORY_BYTES,
  ownEntry,
  ProcessFailure,
  type ProcessLimits,
  type RunningProcess,
} from '../process/process.ts';
import type { LanguageData } from './language-data.ts';
import type { TesseractAnswer, TesseractLine, TesseractRequest, TesseractSettings } from './tesseract-messages.ts';

const count = z.number().int().nonnegative();
const place = z.number().int();
const box = z.tuple([place, place, place, place]);

/** The answers of the process. They come from a library that read pictures of strangers. */
const answerSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('ready'), core: z.string().regex(/^[a-z-]{1,32}$/) }),
  z.strictObject({
    type: z.literal('lines'),
    id: count,
    lines: z.array(
      z.strictObject({
        box,
        confidence: z.number().min(0).max(100),
        words: z.array(z.strictObject({ text: z.string(), box })),
      }),
    ),
  }),
  z.strictObject({ type: z.literal('failed'), id: count, reason: z.string().max(200) }),
]) satisfies z.ZodType<TesseractAnswer>;

/** The engine could not read one picture. It reads the next one. */
export class UnreadablePicture extends DetectionFailure {
  constructor(reason: string) {
    super(`the engine could not read a picture: ${reason}`);
    this.name = 'UnreadablePicture';
  }
}

/**
 * The engine sets each syllable of Korean and each sign of Chinese and Japanese apart. If the gap between two of them is narrower
 * than this share of their height, no space is meant.
 */
export const SIGN_GAP = 0.3;

const sign = '[\\p{Script=Hangul}\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}]';
const endsInSign = new RegExp(`${sign}$`, 'u');
const beginsWithSign = new RegExp(`^${sign}`, 'u');

type Word = TesseractLine['words'][number];

function isOneWord(before: Word, word: Word): boolean {
  if (!endsInSign.test(before.text) || !beginsWithSign.test(word.text)) return false;
  const height = Math.max(before.box[3] - before.box[1], word.box[3] - word.box[1]);
  return word.box[0] - before.box[2] < SIGN_GAP * height;
}

function textOf(words: readonly Word[]): string {
  let text = '';
  for (const [at, word] of words.entries()) {
    const before = words[at - 1];
    text += before === undefined || isOneWord(before, word) ? word.text : ` ${word.text}`;
  }
  return cutText(labelLine(text), maximumScreenTextCharacters);
}

const milliOf = (value: number, whole: number): number =>
  Math.min(1000, Math.max(0, Math.round((1000 * value) / Math.max(1, whole))));

/** A place in pixels of a picture of this size, in thousandths of it. */
export const placeIn = (
  { left, top, right, bottom }: { left: number; top: number; right: number; bottom: number },
  { width, height }: { width: number; height: number },
): ScreenBox => ({
  leftMilli: milliOf(left, width),
  topMilli: milliOf(top, height),
  rightMilli: milliOf(right, width),
  bottomMilli: milliOf(bottom, height),
});

/** The lines of a picture of this size, from the top down. Those without a letter are left out. */
export const readLines = (lines: readonly TesseractLine[], size: { width: number; height: number }): ReadText[] =>
  lines
    .flatMap(({ words, box: [left, top, right, bottom], confidence }) => {
      const text = textOf(words);
      if (text === '') return [];
      return [{ text, box: placeIn({ left, top, right, bottom }, size), confidenceMilli: Math.round(10 * confidence) }];
    })
    .sort((one, other) => one.box.topMilli - other.box.topMilli || one.box.leftMilli - other.box.leftMilli);

const MEBIBYTE = 1024 * 1024;

// The study that reads has a deadline of its own; these limits only end a process gone wild. It reads the pictures of a whole study: for
// one with thirty lines it answers 70 kB, and says a word on each.
const LIMITS: ProcessLimits = {
  wallMs: 24 * 60 * 60 * 1000,
  cpuSeconds: 12 * 60 * 60,
  fileSizeBytes: MEBIBYTE,
  stdoutBytes: 4096 * MEBIBYTE,
  stderrBytes: 64 * MEBIBYTE,
  memoryBytes: MEMORY_BYTES.readScreen,
};

// A picture takes a tenth of a second; the worst that passes for no noise took 20 s on one core.
const UNANSWERED_MS = 300_000;

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

  /** Starts a process and waits until it has its languages. `core` names the form of the engine. Rejects with `ProcessFailure`. */
  static async open(
    { launcher, clock }: { readonly launcher: Launcher; readonly clock: Clock },
    data: readonly LanguageData[],
    signal: AbortSignal,
  ): Promise<{ connection: TesseractConnection; core: string }> {
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
    return { connection, core: answer.core };
  }

  /**
   * The lines of one picture (PGM). One picture at a time. Rejects with `UnreadablePicture` if the engine fails over this picture
   * alone, else with `ProcessFailure` or `DetectionFailure`.
   */
  async read(
    picture: Uint8Array,
    settings: TesseractSettings,
  ): Promise<Extract<TesseractAnswer, { type: 'lines' }>['lines']> {
    const id = this.#nextId++;
    const answer = await this.#ask({ type: 'read', id, settings }, picture);
    if (answer.type === 'failed' && answer.id === id) throw new UnreadablePicture(answer.reason);
    if (answer.type !== 'lines' || answer.id !== id) throw this.#misread();
    return answer.lines;
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
