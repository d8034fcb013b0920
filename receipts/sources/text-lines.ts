/** So many lines are looked at in one step: the longest step is then the one over a file of a single line. */
export const linesOfStep = 64;

/** A line of a text, counted from 1, without its line feed. */
export interface TextLine {
  readonly line: number;
  readonly text: string;
}

/** The lines of a text one by one, as `split('\n')` has them all. */
export function* linesOf(text: string): Generator<TextLine, void, undefined> {
  let line = 1;
  for (let from = 0; ; line += 1) {
    const end = text.indexOf('\n', from);
    if (end === -1) {
      yield { line, text: text.slice(from) };
      return;
    }
    yield { line, text: text.slice(from, end) };
    from = end + 1;
  }
}

const linesOfPiece = 1024;

/** Lines that are joined by line feeds as they come: to join half a million at once would take long. */
export class JoinedLines {
  readonly #pieces: string[] = [];
  #lines: string[] = [];

  add(line: string): void {
    this.#lines.push(line);
    if (this.#lines.length < linesOfPiece) return;
    this.#pieces.push(this.#lines.join('\n'));
    this.#lines = [];
  }

  text(): string {
    return [...this.#pieces, ...(this.#lines.length > 0 ? [this.#lines.join('\n')] : [])].join('\n');
  }
}
