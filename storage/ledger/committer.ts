import { LedgerError } from './ledger.ts';

/** One change of one stored row. */
export type RowChange =
  | { readonly type: 'put'; readonly key: Buffer; readonly value: Buffer }
  | { readonly type: 'del'; readonly key: Buffer };

/** A row that is encoded when the number of its batch is known. */
export interface StampedRow {
  readonly type: 'stamp';
  readonly key: Buffer;
  encode(commit: number): Buffer;
}

export type QueuedRow = RowChange | StampedRow;

interface CommitterPort {
  /** Writes all rows or none, and resolves once they are on disk. */
  write(rows: QueuedRow[]): Promise<void>;
  /** Called once, with the failure of a batch, after which nothing more is written. */
  onFatal(error: LedgerError): void;
  /** Called by name before a batch is written and after it is on disk, before any caller resumes. */
  point(name: 'commit:before' | 'commit:after'): void;
}

class Group {
  readonly rows: QueuedRow[] = [];
  readonly landed: (() => void)[] = [];
  readonly promise: Promise<void>;
  resolve: () => void = () => {};
  reject: (error: LedgerError) => void = () => {};

  constructor() {
    this.promise = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    // A caller may drop its promise; the failure still reaches onFatal.
    this.promise.catch(() => {});
  }
}

/**
 * Group commit: one batch is on its way to the disk at a time. Everything queued meanwhile goes together into the next one, in
 * the order of the calls. The first batch that fails ends all writing.
 */
export class Committer {
  readonly #port: CommitterPort;
  #collecting: Group | null = null;
  #writing: Group | null = null;
  #failure: LedgerError | null = null;

  constructor(port: CommitterPort) {
    this.#port = port;
  }

  /** Why nothing is written any more, or null. */
  get failure(): LedgerError | null {
    return this.#failure;
  }

  /** Queues rows; `landed` runs once they are on disk, before the promise resolves. */
  add(rows: readonly QueuedRow[], landed: () => void): Promise<void> {
    if (this.#failure !== null) return Promise.reject(this.#failure);
    if (this.#collecting === null) {
      this.#collecting = new Group();
      if (this.#writing === null) this.#schedule();
    }
    for (const row of rows) this.#collecting.rows.push(row);
    this.#collecting.landed.push(landed);
    return this.#collecting.promise;
  }

  /** Resolves when everything queued so far is on disk. */
  durable(): Promise<void> {
    if (this.#failure !== null) return Promise.reject(this.#failure);
    return (this.#collecting ?? this.#writing)?.promise ?? Promise.resolve();
  }

  #schedule(): void {
    // A tick begins after all pending microtasks, so everyone whom the last batch woke takes part in the next one.
    process.nextTick(() => void this.#flush());
  }

  async #flush(): Promise<void> {
    const group = this.#collecting;
    if (group === null) return;
    this.#collecting = null;
    this.#writing = group;
    try {
      this.#port.point('commit:before');
      await this.#port.write(group.rows);
    } catch (cause) {
      const failure = cause instanceof LedgerError ? cause : null;
      this.#fail(group, failure ?? new LedgerError('commit_failed', 'a batch did not reach the disk', cause));
      return;
    }
    this.#writing = null;
    for (const landed of group.landed) landed();
    this.#port.point('commit:after');
    group.resolve();
    if (this.#collecting !== null) this.#schedule();
  }

  #fail(group: Group, error: LedgerError): void {
    this.#failure = error;
    this.#writing = null;
    group.reject(error);
    this.#collecting?.reject(error);
    this.#collecting = null;
    this.#port.onFatal(error);
  }
}
