import { Turns } from '../../storage/turns.ts';

/**
 * Lets everyone who asks the same question while an answer is being found wait for the next answer together. A look that
 * has begun answers only for those who asked before: it may have passed by what changed since.
 */
export class SharedLooks<Answer> {
  readonly #turns = new Turns();
  readonly #next = new Map<string, Promise<Answer>>();

  take(name: string, look: () => Promise<Answer>): Promise<Answer> {
    const next = this.#next.get(name);
    if (next !== undefined) return next;
    const turn = this.#turns.take(name, () => {
      this.#next.delete(name);
      return look();
    });
    this.#next.set(name, turn);
    return turn;
  }
}
