/**
 * Lets one caller at a time change what is permitted in a runtime: whoever begins something under an approval and whoever
 * withdraws it never act on what the other is about to change.
 */
export class RuntimeTurns {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Runs when all earlier turns of the runtime are over, however they ended. */
  async take<Result>(runtimeId: string, run: () => Promise<Result>): Promise<Result> {
    const earlier = this.#last.get(runtimeId) ?? Promise.resolve();
    const turn = earlier.then(run, run);
    this.#last.set(runtimeId, turn);
    try {
      return await turn;
    } finally {
      if (this.#last.get(runtimeId) === turn) this.#last.delete(runtimeId);
    }
  }
}
