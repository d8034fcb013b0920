import type { WorkProgress } from '../../contract/operation/work-progress.ts';
import { progressLine } from './progress-line.ts';
import { answerTo } from './question.ts';

/** Where a command writes, and what it may ask. */
export interface Terminal {
  /** Whether results are JSON documents, one a line. */
  readonly json: boolean;
  /** Whether a person can be asked. */
  readonly isInteractive: boolean;
  /** A result, on stdout. With `--json` the document, else the lines. */
  result(document: unknown, lines: readonly string[]): void;
  /** A remark for people, on stderr. */
  remark(line: string): void;
  /** What goes on right now: one line that is written over, or a line of its own where stderr is no terminal. */
  progress(line: string): void;
  /**
   * How far work has come, on stderr: a bar that is written over; where stderr is no terminal a line for each step; with
   * `--json` the document.
   */
  measured(name: string, progress: WorkProgress): void;
  /** Asks the person at the terminal. Call it only where `isInteractive`. Throws `Interrupted`. */
  ask(question: string): Promise<string>;
}

const eraseLine = '\r\u001b[K';
const usualColumns = 80;

/** The terminal of this process. The signal ends its questions. */
export function processTerminal(json: boolean, signal?: AbortSignal): Terminal {
  const { stdin, stdout, stderr } = process;
  let isOpen = false;
  let last = '';
  const steps = new Map<string, string>();
  const progress = (line: string) => {
    if (line === last) return;
    last = line;
    // Terminals without a size, such as those of some editors and scripts, say 0.
    if (stderr.isTTY) stderr.write(`${eraseLine}${line.slice(0, (stderr.columns || usualColumns) - 1)}`);
    else stderr.write(`${line}\n`);
    isOpen = stderr.isTTY === true;
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
      if (json) stdout.write(`${JSON.stringify(document)}\n`);
      else for (const line of lines) stdout.write(`${line}\n`);
    },
    remark: (line) => {
      close();
      stderr.write(`${line}\n`);
    },
    progress,
    measured: (name, document) => {
      if (json) stderr.write(`${JSON.stringify(document)}\n`);
      else if (stderr.isTTY) progress(progressLine(name, document));
      else if (steps.get(document.id) !== document.stage) progress(`${name}: ${document.stage}`);
      steps.set(document.id, document.stage);
    },
    ask: (question) => {
      close();
      return answerTo(question, stdin, stderr, signal);
    },
  };
}
