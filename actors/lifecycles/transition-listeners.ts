/** An actor has come to a state; its transitions say to which. */
export interface Moved {
  readonly actorId: string;
  /** One of `actorKinds`. */
  readonly kind: string;
}

/** Who wants to know of every transition that is on disk. A listener that throws is reported and harms no other listener. */
export class TransitionListeners {
  readonly #report: (line: string) => void;
  readonly #listeners = new Set<(moved: Moved) => void>();

  constructor(report: (line: string) => void) {
    this.#report = report;
  }

  /** Calls back after each transition of any actor until the returned function is called. */
  add(listener: (moved: Moved) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  tell(moved: Moved): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener(moved);
      } catch (error) {
        this.#report(`a listener of transitions failed: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
  }
}
