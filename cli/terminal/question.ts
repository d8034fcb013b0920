import { createInterface } from 'node:readline/promises';

/** A person pressed Ctrl-C at a question, or before it came. */
export class Interrupted extends Error {
  constructor() {
    super('interrupted');
    this.name = 'Interrupted';
  }
}

/** What was typed at a terminal before its question came. */
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
 * Asks the person at a terminal; Ctrl-D answers nothing. Lines that arrive with an answer answer the questions after it. Throws
 * `Interrupted` for Ctrl-C, which a question keeps from the process, and for a signal: Ctrl-C reached the process before the
 * question did.
 */
export async function answerTo(
  question: string,
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
  signal?: AbortSignal,
): Promise<string> {
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
    // The question still stands on the line.
    output.write('\n');
    if (answer !== null) throw answer;
    return '';
  } finally {
    left.abort();
    lines.close();
  }
}
