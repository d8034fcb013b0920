import type { Clock } from '../../../contract/base/clock.ts';
import { programLimits } from '../../../contract/captions/caption-translation.ts';
import {
  type Launcher,
  ProcessFailure,
  type ProcessLimits,
  type RunningProcess,
} from '../../../executors/process/process.ts';
import { programFormContract, streamOf } from '../../../rules/translation/program-lines.ts';
import type { InstalledPair } from './apertium-pairs.ts';

const MEBIBYTE = 1024 * 1024;

/** The limits of one pipe, whose parts live as long as a production: one that reaches them is started again. */
const LIMITS: ProcessLimits = {
  wallMs: 3_600_000,
  cpuSeconds: 1800,
  fileSizeBytes: MEBIBYTE,
  stdoutBytes: 64 * MEBIBYTE,
  stderrBytes: 4 * MEBIBYTE,
  memoryBytes: programLimits.memoryBytes,
};

/** A word for the shell that starts the parts of a pipe. It reads this text alone, and no line of a film. */
const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;

/** The named pipe before the last part, in the private folder of the processes. */
const lastPipe = 'last';

/**
 * The pipe as one group of processes, whose first one becomes the last part. The end of any part ends those behind it, and so the whole
 * group. The host learns of it at once, and need not wait for the time of a line.
 */
function pipeScript(commands: InstalledPair['commands']): string {
  const words = commands.map((command) => command.map(quoted).join(' '));
  const last = words.at(-1) ?? '';
  if (words.length === 1) return `exec ${last}`;
  const parts = words.slice(0, -1).map((part, at) => `${part}${at === 0 ? ' <&3' : ''} 3<&-`);
  return `mkfifo ${lastPipe} && exec 3<&0 || exit 1\n${parts.join(' | ')} >${lastPipe} &\nexec ${last} <${lastPipe} 3<&-`;
}

/** The failure of one line: the pipe ended, answered too late or too much, or answered something else. */
class LineFailure extends Error {}

/** The program cannot be started, or answers nothing. */
export class PipeFailure extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'PipeFailure';
  }
}

interface PipeOptions {
  readonly launcher: Launcher;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** The processes of an open pipe. One line is in them at a time. */
class OpenPipe {
  readonly #process: RunningProcess;
  readonly #clock: Clock;
  #received: Buffer[] = [];
  #receivedBytes = 0;
  #isEnded = false;
  #wake: () => void = () => undefined;

  constructor(process: RunningProcess, clock: Clock) {
    this.#process = process;
    this.#clock = clock;
    process.stdout.on('data', (chunk: Buffer) => {
      this.#received.push(chunk);
      this.#receivedBytes += chunk.length;
      this.#wake();
    });
    const end = () => {
      this.#isEnded = true;
      this.#wake();
    };
    process.stdout.on('end', end).on('close', end).on('error', end);
    process.finished.then(end, end);
  }

  /** The answer to a line, with its end. Rejects with `LineFailure`; the pipe is of no use then. */
  async answer(line: string, wallMs: number): Promise<string> {
    if (this.#receivedBytes > 0) throw new LineFailure('it answered without a line');
    let isLate = false;
    const timer = this.#clock.setTimeout(() => {
      isLate = true;
      this.#wake();
    }, wallMs);
    try {
      this.#process.stdin?.write(`${line}\0`);
      for (;;) {
        const last = this.#received.at(-1);
        if (this.#receivedBytes > programLimits.maxLineBytes) throw new LineFailure('its answer is too long');
        if (last?.includes(0) === true) break;
        if (this.#isEnded) throw new LineFailure('it ended');
        if (isLate) throw new LineFailure(`it gave no answer within ${wallMs} ms`);
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
      const all = Buffer.concat(this.#received);
      this.#received = [];
      this.#receivedBytes = 0;
      if (all.indexOf(0) !== all.length - 1) throw new LineFailure('it answered more than one line');
      const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(all.subarray(0, -1));
      if (!text.endsWith(programFormContract.end)) throw new LineFailure('its answer does not end as the line did');
      return text;
    } catch (error) {
      throw error instanceof LineFailure ? error : new LineFailure('its answer is not text', { cause: error });
    } finally {
      this.#clock.clearTimeout(timer);
    }
  }

  async close(): Promise<void> {
    this.#process.kill();
    await this.#process.finished.catch(() => undefined);
  }
}

/** So many lines without an answer that follow each other say that the program is broken. The number is a choice. */
const mostFailedLines = 3;

/**
 * The pipe of a pair of Apertium. It stays open from line to line: the first line takes a part of a second, each other one some
 * milliseconds. If it ends, hangs or answers out of form, all of its processes are ended. It is started again for that line.
 */
export class ApertiumPipe {
  readonly #pair: InstalledPair;
  readonly #options: PipeOptions;
  #open: OpenPipe | null = null;
  #failed = 0;

  constructor(pair: InstalledPair, options: PipeOptions) {
    this.#pair = pair;
    this.#options = options;
  }

  /**
   * The answer to a line, with its marks and escapes; null if the program gives none, even in a new pipe. Rejects with `PipeFailure` if
   * it cannot be started or answers no line at all, and with the reason of the signal.
   */
  async translated(text: string): Promise<string | null> {
    const line = streamOf(text);
    let last: unknown;
    for (let start = 0; start < programLimits.maxLineStarts; start += 1) {
      try {
        this.#open ??= await this.#started();
        const answer = await this.#open.answer(line, programLimits.maxLineWallMs);
        this.#failed = 0;
        return answer;
      } catch (error) {
        await this.close();
        this.#options.signal.throwIfAborted();
        if (!(error instanceof LineFailure)) throw error;
        last = error;
      }
    }
    this.#failed += 1;
    if (this.#failed < mostFailedLines) return null;
    throw new PipeFailure(
      `${this.#pair.mode} of Apertium gave no answer to ${mostFailedLines} lines in a row: ${messageOf(last)}`,
      last,
    );
  }

  /** Rejects with `PipeFailure` unless the program answers. */
  async demandRunning(): Promise<void> {
    this.#open ??= await this.#started();
  }

  /** Ends the processes of the pipe, if it is open. */
  async close(): Promise<void> {
    const open = this.#open;
    this.#open = null;
    await open?.close();
  }

  /** Starts the pipe, and waits until all of its data is loaded: the answer to an empty line. */
  async #started(): Promise<OpenPipe> {
    const { launcher, clock, signal } = this.#options;
    const { commands, mode } = this.#pair;
    try {
      const process = await launcher.start({
        tool: '/bin/sh',
        args: ['-c', pipeScript(commands)],
        limits: LIMITS,
        signal,
        stdin: 'pipe',
      });
      const open = new OpenPipe(process, clock);
      await open.answer(streamOf(''), programLimits.maxStartWallMs).catch(async (error: unknown) => {
        await open.close();
        throw error;
      });
      return open;
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof LineFailure || error instanceof ProcessFailure)) throw error;
      throw new PipeFailure(`${mode} of Apertium does not start: ${messageOf(error)}`, error);
    }
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
