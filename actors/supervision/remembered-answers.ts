import { BoundedMap } from '../../storage/bounded-map.ts';
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

/**
 * Keeps what was made of a resource until the resource changes. Readers that come together share one making; what was made
 * while the resource changed is given to those who asked before, and not kept.
 */
export class RememberedAnswers<Answer> {
  readonly #make: (id: string) => Promise<Answer>;
  readonly #known: BoundedMap<string, Answer>;
  readonly #making = new Map<string, Promise<Answer>>();

  /** Keeps at most `limit` answers, those that were used last. */
  constructor(limit: number, make: (id: string) => Promise<Answer>) {
    this.#known = new BoundedMap(limit);
    this.#make = make;
  }

  /** The answer itself if it is known, so that it can be given in the same turn. */
  get(id: string): Answer | Promise<Answer> {
    return this.#known.get(id) ?? this.#making.get(id) ?? this.#begin(id);
  }

  /** Must be called after each change of the resource. */
  forget(id: string): void {
    this.#known.delete(id);
    this.#making.delete(id);
  }

  #begin(id: string): Promise<Answer> {
    const making = this.#make(id);
    const isCurrent = (): boolean => this.#making.get(id) === making && this.#making.delete(id);
    this.#making.set(id, making);
    making.then((answer) => isCurrent() && this.#known.set(id, answer), isCurrent);
    return making;
  }
}
