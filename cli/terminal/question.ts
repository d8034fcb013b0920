import { createInterface } from 'node:readline/promises';

/** A person pressed Ctrl-C at a question, or before it came. */
export class Interrupted extends Error {
  constructor() {
    super('interrupted');
    this.name = 'Interrupted';
  }
}

/**
 * Asks the person at a terminal; Ctrl-D answers nothing. Throws `Interrupted` for Ctrl-C, which a question keeps from the process,
 * and for a signal: Ctrl-C reached the process before the question did.
 */
export async function answerTo(
  question: string,
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
  signal?: AbortSignal,
): Promise<string> {
  if (signal?.aborted) throw new Interrupted();
  const lines = createInterface({ input, output });
  const left = new AbortController();
  try {
    const answer = await new Promise<string | Interrupted | null>((resolve) => {
      lines.once('SIGINT', () => resolve(new Interrupted()));
      signal?.addEventListener('abort', () => resolve(new Interrupted()), { once: true, signal: left.signal });
      // Versions of Node differ in what becomes of a question whose terminal closes: some forget it.
      lines.once('close', () => resolve(null));
      lines.question(question).then(resolve, () => resolve(null));
    });
    if (typeof answer === 'string') return answer.trim();
    // The question still stands on the line.
    output.write('\n');
    if (answer !== null) throw answer;
    return '';
  } finally {
    left.abort();
    lines.close();
  }
}
