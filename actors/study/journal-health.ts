import { failureMessage } from '../../contract/base/errors.ts';
import type { RuntimeReason } from '../../contract/study/status.ts';
import { isJournalDamage, type Ledger, type StoredJournalHead } from '../../storage/ledger/ledger.ts';

/** A journal that does not verify: what its runtime's status says, and how far it is still good. */
export interface JournalDamage {
  readonly reason: RuntimeReason;
  readonly lastGood: StoredJournalHead | null;
}

// One entry is a few words.
const remembered = 4096;

/**
 * Verifies the journal of an ended runtime once in a process's life. A live one was verified when it was taken up, and
 * this process wrote the rest.
 */
export class JournalHealth {
  readonly #ledger: Ledger;
  readonly #isLive: (runtimeId: string) => boolean;
  readonly #known = new Map<string, Promise<JournalDamage | null>>();

  constructor(ledger: Ledger, isLive: (runtimeId: string) => boolean) {
    this.#ledger = ledger;
    this.#isLive = isLive;
  }

  /** What is wrong with a runtime's journal, or null. */
  async damage(runtimeId: string): Promise<JournalDamage | null> {
    if (this.#isLive(runtimeId)) return null;
    const known = this.#known.get(runtimeId) ?? this.#verify(runtimeId);
    if (this.#known.size >= remembered) this.#known.clear();
    this.#known.set(runtimeId, known);
    try {
      return await known;
    } catch (error) {
      // Nothing was learned about the journal: the next request looks again.
      if (this.#known.get(runtimeId) === known) this.#known.delete(runtimeId);
      throw error;
    }
  }

  async #verify(runtimeId: string): Promise<JournalDamage | null> {
    try {
      await this.#ledger.verifyJournal(runtimeId);
      return null;
    } catch (error) {
      if (!isJournalDamage(error)) throw error;
      const message = failureMessage(`the journal does not verify: ${error.message}`);
      return { reason: { code: 'stored_content_inconsistent', message }, lastGood: error.lastGood };
    }
  }
}
