import type { Space } from '../../storage/ledger/ledger.ts';
import { actorOf } from './transition-rows.ts';

/** Listeners to every transition that is on disk. A listener that throws is reported and harms no other listener. */
export class TransitionListeners {
  readonly #report: (line: string) => void;
  readonly #listeners = new Set<(actorId: string) => void>();

  constructor(report: (line: string) => void) {
    this.#report = report;
  }

  /** Calls back with the id of an actor after each of its transitions, and when it was deleted, until the returned function is called. */
  add(listener: (actorId: string) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Takes from the ledger which row is on disk, before its writer goes on. */
  readonly stamped = (space: Space, key: string): void => {
    if (space !== 'transition' || this.#listeners.size === 0) return;
    this.#announce(actorOf(key));
  };

  /** An actor was deleted, and its transitions with it: the next read of who follows it says so. */
  gone(actorId: string): void {
    this.#announce(actorId);
  }

  #announce(actorId: string): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener(actorId);
      } catch (error) {
        this.#report(`a listener of transitions failed: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
  }
}
