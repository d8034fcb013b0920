/**
 * Work that is about to need a source and has not committed that yet, by the session of the source. A deletion looks
 * here in the same turn in which it commits.
 */
export class SourceUses {
  readonly #uses = new Map<string, { open: number; version: number }>();

  /** Notes that work relies on a source from now on, until the returned function is called. */
  begin(sessionId: string): () => void {
    this.#change(sessionId, 1);
    return () => this.#change(sessionId, -1);
  }

  isOpen(sessionId: string): boolean {
    return this.#of(sessionId).open > 0;
  }

  /** Moves with every beginning and every end. */
  version(sessionId: string): number {
    return this.#of(sessionId).version;
  }

  #change(sessionId: string, by: number): void {
    const { open, version } = this.#of(sessionId);
    this.#uses.set(sessionId, { open: open + by, version: version + 1 });
  }

  #of(sessionId: string) {
    return this.#uses.get(sessionId) ?? { open: 0, version: 0 };
  }
}
