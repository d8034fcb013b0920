import { KeyedMutex } from '../../storage/keyed-mutex.ts';

/**
 * Lets everyone who asks the same question while an answer is being found wait for the next answer together. A run that
 * has begun answers only for those who asked before: it may have passed by what changed since.
 */
export class SingleFlight<Answer> {
  readonly #mutex = new KeyedMutex();
  readonly #next = new Map<string, Promise<Answer>>();

  take(name: string, run: () => Promise<Answer>): Promise<Answer> {
    const next = this.#next.get(name);
    if (next !== undefined) return next;
    const turn = this.#mutex.take(name, () => {
      this.#next.delete(name);
      return run();
    });
    this.#next.set(name, turn);
    return turn;
  }
}
