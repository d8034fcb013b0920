import { createInterface } from 'node:readline/promises';
import { escapedLine, escapedText } from '../../contract/base/grammar.ts';
import type { WorkProgress } from '../../contract/operation.ts';
import { terminalLines } from './terminal-lines.ts';

const units = ['B', 'kB', 'MB', 'GB', 'TB'] as const;

/** A number of bytes as people read it, in powers of 1000: `1.5 MB`. */
export function bytesText(bytes: number): string {
  let [value, unit] = [bytes, 0];
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit] ?? ''}`;
}

const barCells = 20;

/** The stage and the progress of a piece of work, as one line for people. */
export function progressLine(name: string, progress: WorkProgress): string {
  const { stage, completed, total, bytesPerSecond, queuePosition, etaMs } = progress;
  return [
    `${name}: ${stage}`,
    ...(queuePosition === null ? [] : [`place ${queuePosition}`]),
    ...(completed === null || total === null || total === 0 ? [] : [bar(completed / total)]),
    ...(bytesPerSecond === null ? [] : [`${(bytesPerSecond / 1e6).toFixed(1)} MB/s`]),
    ...(etaMs === null ? [] : [`${Math.ceil(etaMs / 1000)} s left`]),
  ].join(' ');
}

function bar(share: number): string {
  const filled = Math.round(Math.min(1, share) * barCells);
  return `[${'#'.repeat(filled)}${'.'.repeat(barCells - filled)}] ${Math.floor(share * 100)} %`;
}

/** A person pressed Ctrl-C at a question, or before it came. */
export class Interrupted extends Error {
  constructor() {
    super('interrupted');
    this.name = 'Interrupted';
  }
}

/** Lines that the person typed before the question came. */
interface TypedAhead {
  readonly lines: string[];
  /** The beginning of a line whose end was not typed yet. */
  begun: string;
}

const typedAhead = new WeakMap<NodeJS.ReadableStream, TypedAhead>();

function aheadOf(input: NodeJS.ReadableStream): TypedAhead {
  const known = typedAhead.get(input) ?? { lines: [], begun: '' };
  typedAhead.set(input, known);
  return known;
}

/**
 * Asks the person at a terminal; null for Ctrl-D, the end of the input. Lines that arrive with an answer answer the questions after it. Throws
 * `Interrupted` for Ctrl-C, which a question keeps from the process, and for a signal: Ctrl-C reached the process before the
 * question did.
 */
export async function answerTo(
  question: string,
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
  signal?: AbortSignal,
): Promise<string | null> {
  const ahead = aheadOf(input);
  if (signal?.aborted) throw new Interrupted();
  const typed = ahead.lines.shift();
  if (typed !== undefined) {
    output.write(`${question}${typed}\n`);
    return typed.trim();
  }
  const lines = createInterface({ input, output });
  // A terminal hands over all that was typed at once: what follows the answer comes before the interface can be closed.
  lines.on('line', (line) => ahead.lines.push(line));
  const left = new AbortController();
  try {
    const answer = await new Promise<string | Interrupted | null>((resolve) => {
      lines.once('SIGINT', () => resolve(new Interrupted()));
      signal?.addEventListener('abort', () => resolve(new Interrupted()), { once: true, signal: left.signal });
      // Versions of Node differ in what becomes of a question whose terminal closes: some forget it.
      lines.once('close', () => resolve(null));
      lines.question(question).then(resolve, () => resolve(null));
      if (ahead.begun !== '') lines.write(ahead.begun);
    });
    ahead.begun = typeof answer === 'string' ? lines.line : '';
    if (typeof answer === 'string') return answer.trim();
    // The question is still on the line.
    output.write('\n');
    if (answer !== null) throw answer;
    return null;
  } finally {
    left.abort();
    lines.close();
  }
}

/**
 * The outputs of a command, and its questions. What it prints may quote names and messages of others: a character that would steer
 * the terminal is shown by its escape. A line of a result is one line; a remark may have several.
 */
export interface Terminal {
  /** True if results are JSON documents, one a line. */
  readonly json: boolean;
  /** True if a person can answer. */
  readonly isInteractive: boolean;
  /** A result, on stdout. With `--json` the document, else the lines. */
  result(document: unknown, lines: readonly string[]): void;
  /** A remark for people, on stderr, broken at the width of their terminal. */
  remark(line: string): void;
  /** The work of this moment. A terminal overwrites the line; elsewhere it is a line of its own. */
  progress(line: string): void;
  /**
   * The progress of work, on stderr: a bar that is overwritten on a terminal, a line for each step elsewhere, and the document
   * with `--json`.
   */
  measured(name: string, progress: WorkProgress): void;
  /**
   * Asks the person at the terminal; null at the end of the input. Call it only where `isInteractive`, and for an answer of yes or no
   * through `isAgreed`. Throws `Interrupted`.
   */
  ask(question: string): Promise<string | null>;
}

const eraseLine = '\r\u001b[K';
const usualColumns = 80;
/** The places that a question leaves on its last line. */
const roomForAnswer = 6;

interface TerminalOptions {
  readonly json: boolean;
  /** The words before the name of a command, as this person types them. */
  readonly program: string;
  /** Ends the questions. */
  readonly signal?: AbortSignal;
}

/** The terminal of this process. */
export function processTerminal({ json, program, signal }: TerminalOptions): Terminal {
  const { stdin, stdout, stderr } = process;
  let isOpen = false;
  let last = '';
  const steps = new Map<string, string>();
  // Terminals without a size, such as those of some editors and scripts, say 0.
  const columnsNow = () => (stderr.isTTY ? stderr.columns || usualColumns : null);
  const broken = (text: string, room = 0) => {
    const columns = columnsNow();
    return terminalLines(escapedText(text), columns === null ? null : columns - room, program);
  };
  const progress = (given: string) => {
    const line = escapedLine(given);
    if (line === last) return;
    last = line;
    const columns = columnsNow();
    stderr.write(columns === null ? `${line}\n` : `${eraseLine}${line.slice(0, columns - 1)}`);
    isOpen = columns !== null;
  };
  const close = () => {
    if (isOpen) stderr.write(eraseLine);
    isOpen = false;
  };
  return {
    json,
    isInteractive: stdin.isTTY === true && stderr.isTTY === true,
    result: (document, lines) => {
      close();
      for (const line of json ? [JSON.stringify(document)] : lines) stdout.write(`${escapedLine(line)}\n`);
    },
    remark: (line) => {
      close();
      for (const each of broken(line)) stderr.write(`${each}\n`);
    },
    progress,
    measured: (name, document) => {
      if (json) stderr.write(`${escapedLine(JSON.stringify(document))}\n`);
      else if (stderr.isTTY) progress(progressLine(name, document));
      else if (steps.get(document.id) !== document.stage) progress(`${name}: ${document.stage}`);
      steps.set(document.id, document.stage);
    },
    ask: (question) => {
      close();
      const lines = [...broken(question, roomForAnswer)];
      // A space after the question keeps the answer apart.
      const last = lines.pop()?.trimEnd();
      for (const line of lines) stderr.write(`${line}\n`);
      return answerTo(`${last} `, stdin, stderr, signal);
    },
  };
}
