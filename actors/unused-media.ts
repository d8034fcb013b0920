import { z } from 'zod';
import type { Ledger, Write } from '../storage/ledger.ts';
import type { Vault } from '../storage/vault.ts';

const prefix = 'unused/';
const unusedRow = z.strictObject({ bytes: z.number() });

/**
 * Media that an ended ingest left in the vault. It is noted in the commit of the ingest's end and removed as soon as no
 * live ingest holds it, at the latest at the next start.
 */
export class UnusedMedia {
  readonly #ledger: Ledger;
  readonly #vault: Vault;
  readonly #isHeld: (contentId: string) => boolean;
  readonly #noted = new Set<string>();

  constructor(ledger: Ledger, vault: Vault, isHeld: (contentId: string) => boolean) {
    this.#ledger = ledger;
    this.#vault = vault;
    this.#isHeld = isHeld;
  }

  /** Reads what an earlier process noted and could not remove. */
  async load(): Promise<void> {
    for (const { key, value } of await this.#ledger.list('record', prefix)) {
      if (unusedRow.safeParse(value).success) this.#noted.add(key.slice(prefix.length));
    }
  }

  /** The note to commit with the end of the ingest that held the object. */
  note(contentId: string, bytes: number): Write {
    this.#noted.add(contentId);
    return { put: 'record', key: `${prefix}${contentId}`, value: { bytes } };
  }

  /** Removes every noted object that nobody holds, and forgets those that became part of a source after all. */
  async remove(isRegistered: (contentId: string) => boolean): Promise<void> {
    for (const contentId of [...this.#noted]) {
      if (this.#isHeld(contentId)) continue;
      // Kept, too, while the same bytes are being stored once more: whoever stores them will end as well.
      if (!isRegistered(contentId) && !this.#vault.discard(contentId)) continue;
      this.#noted.delete(contentId);
      await this.#ledger.commit([{ del: 'record', key: `${prefix}${contentId}` }]);
    }
  }
}
