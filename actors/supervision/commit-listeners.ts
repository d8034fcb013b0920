/** Who wants to know when something of an actor is on disk. A listener that throws is reported and harms no other listener. */
export class CommitListeners {
  readonly #report: (line: string) => void;
  readonly #byId = new Map<string, Set<() => void>>();

  constructor(report: (line: string) => void) {
    this.#report = report;
  }

  /** Calls back after each commit of an actor, until the returned function is called. */
  add(id: string, listener: () => void): () => void {
    const listeners = this.#byId.get(id) ?? new Set();
    listeners.add(listener);
    this.#byId.set(id, listeners);
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#byId.get(id) === listeners) this.#byId.delete(id);
    };
  }

  /** Whether anyone listens. */
  has(id: string): boolean {
    return this.#byId.has(id);
  }

  tell(id: string): void {
    for (const listener of [...(this.#byId.get(id) ?? [])]) {
      try {
        listener();
      } catch (error) {
        this.#report(`a listener of ${id} failed: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
  }
}
