import { ServiceError } from '../../contract/base/service-error.ts';
import { reopenRuntime, type VerifiedRuntime } from '../../receipts/reopening/reopen-runtime.ts';
import type { Ledger } from '../../storage/ledger/ledger.ts';
import type { ObjectStore } from '../../storage/objects/object-store.ts';
import { SingleFlight } from '../supervision/single-flight.ts';
import { ReadObjects } from './read-objects.ts';
import { readJournalOf, readStoredRuntime } from './stored-runtime.ts';

export interface VerifiedRuntimesOptions {
  readonly ledger: Ledger;
  readonly objectStore: ObjectStore;
  /** How much is remembered, in bytes of what was read; parsed it takes several times as much. */
  readonly rememberedBytes?: number;
}

// A runtime at all limits of its evidence has half a megabyte.
const defaultRememberedBytes = 8 * 1024 * 1024;

/** A reopened runtime, and what it was reopened from. */
interface Reopened {
  readonly runtime: VerifiedRuntime;
  readonly headDigest: string;
  readonly content: ReadObjects;
  /** Length of everything that was read. */
  readonly bytes: number;
}

/**
 * Reopens runtimes for whoever reads of them. What was reopened stays so while its journal has the same head and no file
 * behind it was touched; then a look at each file is all that it costs.
 */
export class VerifiedRuntimes {
  readonly #options: VerifiedRuntimesOptions;
  readonly #flights = new SingleFlight<VerifiedRuntime>();
  // In the order of use, the longest unused first.
  readonly #reopened = new Map<string, Reopened>();
  #bytes = 0;

  constructor(options: VerifiedRuntimesOptions) {
    this.#options = options;
  }

  /** A runtime as far as it has come. Throws `unknown_runtime` and `stored_content_inconsistent`. */
  read(runtimeId: string): Promise<VerifiedRuntime> {
    return this.#flights.take(runtimeId, async () => (await this.#known(runtimeId)) ?? (await this.#reopen(runtimeId)));
  }

  async #known(runtimeId: string): Promise<VerifiedRuntime | null> {
    const known = this.#reopened.get(runtimeId);
    if (known === undefined) return null;
    this.#forget(runtimeId, known);
    const head = await readJournalOf(async () => this.#options.ledger.journalHead(runtimeId));
    if (head.digest !== known.headDigest || !(await known.content.isUntouched())) return null;
    this.#remember(runtimeId, known);
    return known.runtime;
  }

  async #reopen(runtimeId: string): Promise<VerifiedRuntime> {
    const { ledger, objectStore } = this.#options;
    const stored = await readStoredRuntime(ledger, runtimeId);
    if (stored === null) throw new ServiceError('unknown_runtime', 'no such runtime');
    const content = new ReadObjects(objectStore);
    const runtime = await reopenRuntime(stored.runtime, content, () => undefined);
    const bytes = stored.runtime.events.reduce((sum, event) => sum + event.length, content.bytes);
    this.#remember(runtimeId, { runtime, headDigest: stored.head.digest, content, bytes });
    return runtime;
  }

  #remember(runtimeId: string, reopened: Reopened): void {
    const { rememberedBytes = defaultRememberedBytes } = this.#options;
    if (reopened.bytes > rememberedBytes) return;
    this.#reopened.set(runtimeId, reopened);
    this.#bytes += reopened.bytes;
    for (const [oldest, each] of this.#reopened) {
      if (this.#bytes <= rememberedBytes) return;
      this.#forget(oldest, each);
    }
  }

  #forget(runtimeId: string, { bytes }: Reopened): void {
    this.#reopened.delete(runtimeId);
    this.#bytes -= bytes;
  }
}
