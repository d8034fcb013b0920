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

/**
 * A mutex in which all callers of a name who wait share the next piece of work. Work that has begun answers only for those who
 * asked before: it may have passed by what changed since.
 */
export class CoalescingMutex<Result> {
  readonly #mutex = new KeyedMutex();
  readonly #next = new Map<string, Promise<Result>>();

  take(name: string, work: () => Promise<Result>): Promise<Result> {
    const next = this.#next.get(name);
    if (next !== undefined) return next;
    const turn = this.#mutex.take(name, () => {
      this.#next.delete(name);
      return work();
    });
    this.#next.set(name, turn);
    return turn;
  }
}

/** Lets a few pieces of work run at once; the others wait, in the order of the calls. */
export class Semaphore {
  readonly #most: number;
  #working = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(most: number) {
    this.#most = most;
  }

  /** True if the next piece of work has to wait. */
  get isFull(): boolean {
    return this.#working === this.#most;
  }

  async take<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.isFull) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#working += 1;
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#working -= 1;
      else next();
    }
  }
}

/** As many as Node has threads for work on files: more would only wait there, each with its files open. */
const most = 4;

/**
 * Does the work for each item, a few at once. When it settles, no piece of work that began is still under way. Rejects with the
 * first failure, and begins no further piece then.
 */
export async function fewAtOnce<Item>(items: readonly Item[], work: (item: Item) => Promise<unknown>): Promise<void> {
  const left = items.values();
  const failures: unknown[] = [];
  const lane = async (): Promise<void> => {
    for (const item of left) {
      try {
        await work(item);
      } catch (error) {
        failures.push(error);
      }
      if (failures.length > 0) return;
    }
  };
  await Promise.all(Array.from({ length: Math.min(most, items.length) }, lane));
  if (failures.length > 0) throw failures[0];
}
