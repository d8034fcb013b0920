import type { BodyWriter } from '../listener/listener.ts';

/** The writer of a body that is sent piece by piece, until it is stopped. */
export class Flow {
  readonly #writer: BodyWriter;
  #isOver = false;
  #isFull = false;
  #wake = (): void => undefined;

  constructor(writer: BodyWriter) {
    this.#writer = writer;
    writer.onDrain(() => {
      this.#isFull = false;
      this.#wake();
    });
  }

  /** Nothing is sent any more. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Resolves when there is room for more, or when the flow was stopped. */
  async write(chunk: Uint8Array): Promise<void> {
    await this.#room();
    if (this.#isOver) return;
    this.#isFull = !this.#writer.write(chunk);
    await this.#room();
  }

  /** Sends what no client misses, unless something else waits for room. */
  offer(chunk: Uint8Array): void {
    if (!this.#isOver && !this.#isFull) this.#isFull = !this.#writer.write(chunk);
  }

  stop(): void {
    this.#isOver = true;
    this.#writer.end();
    this.#wake();
  }

  async #room(): Promise<void> {
    if (!this.#isFull || this.#isOver) return;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
  }
}
