import { createInterface } from 'node:readline/promises';

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
  /** Asks the person at the terminal. Call it only where `isInteractive`. */
  ask(question: string): Promise<string>;
}

const eraseLine = '\r\u001b[K';

/** The terminal of this process. */
export function processTerminal(json: boolean): Terminal {
  const { stdin, stdout, stderr } = process;
  let isOpen = false;
  let last = '';
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
    progress: (line) => {
      if (line === last) return;
      last = line;
      if (stderr.isTTY) stderr.write(`${eraseLine}${line.slice(0, (stderr.columns ?? 80) - 1)}`);
      else stderr.write(`${line}\n`);
      isOpen = stderr.isTTY === true;
    },
    ask: async (question) => {
      close();
      const lines = createInterface({ input: stdin, output: stderr });
      try {
        return (await lines.question(question)).trim();
      } finally {
        lines.close();
      }
    },
  };
}
