import type { JournalHead, JournalPage, Ledger, Space, Write } from '../../../storage/ledger/ledger.ts';

/** A ledger whose commits wait while its gate is shut, and which keeps what it was asked to commit. */
export class GatedLedger implements Ledger {
  readonly commits: (readonly Write[])[] = [];
  readonly #ledger: Ledger;
  #gate: Promise<void> = Promise.resolve();
  #open: () => void = () => undefined;
  #tail: Promise<unknown> = Promise.resolve();
  #refusal: Error | null = null;

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  shut(): void {
    this.#gate = new Promise((resolve) => {
      this.#open = resolve;
    });
  }

  open(): void {
    this.#open();
  }

  /** Fails every commit from now on. */
  refuse(error: Error): void {
    this.#refusal = error;
  }

  commit(writes: readonly Write[]): Promise<void> {
    if (this.#refusal !== null) return Promise.reject(this.#refusal);
    this.commits.push(writes);
    const committed = Promise.all([this.#gate, this.#tail]).then(() => this.#ledger.commit(writes));
    this.#tail = committed.catch(() => undefined);
    return committed;
  }

  stored(runId?: string) {
    return this.#ledger.stored(runId);
  }

  eraseEvents(runId: string, limit: number): Promise<number> {
    return this.#ledger.eraseEvents(runId, limit);
  }

  copyTo(directory: string) {
    return this.#ledger.copyTo(directory);
  }

  async durable(): Promise<void> {
    await this.#tail;
    await this.#ledger.durable();
  }

  newestCommit(): number {
    return this.#ledger.newestCommit();
  }

  get(space: Space, key: string): unknown {
    return this.#ledger.get(space, key);
  }

  getMany(space: Space, keys: readonly string[]): Promise<unknown[]> {
    return this.#ledger.getMany(space, keys);
  }

  list(space: Space, prefix?: string): Promise<{ key: string; value: unknown }[]> {
    return this.#ledger.list(space, prefix);
  }

  keysAfter(space: Space, prefix: string, after: string, limit: number): Promise<string[]> {
    return this.#ledger.keysAfter(space, prefix, after, limit);
  }

  journalHead(runId: string): JournalHead {
    return this.#ledger.journalHead(runId);
  }

  journalPage(runId: string, after: number, limit: number): Promise<JournalPage> {
    return this.#ledger.journalPage(runId, after, limit);
  }

  verifyJournal(runId: string): Promise<JournalHead> {
    return this.#ledger.verifyJournal(runId);
  }

  close(): Promise<void> {
    this.open();
    return this.#tail.then(() => this.#ledger.close());
  }
}
