/** Runs pieces of work with the same name one after the other, in the order of the calls. */
export class KeyedMutex {
  readonly #last = new Map<string, Promise<unknown>>();

  async take<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    const turn = (this.#last.get(name) ?? Promise.resolve()).then(work, work);
    this.#last.set(name, turn);
    try {
      return await turn;
    } finally {
      if (this.#last.get(name) === turn) this.#last.delete(name);
    }
  }
}
