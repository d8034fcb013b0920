import { z } from 'zod';
import type { Write } from '../../storage/ledger/ledger.ts';
import type { HostBasis } from '../host-basis.ts';

const prefix = 'unused/';
/** `bytes` is null where it was not counted. */
const unusedRow = z.strictObject({ bytes: z.number().nullable() });

interface UnusedMediaOptions extends Pick<HostBasis, 'ledger' | 'objectStore' | 'report'> {
  /** True if a source rests on the object. */
  readonly isRegistered: (contentId: string) => boolean;
}

/**
 * Media, and records of it, that an ended ingest left in the object store. A note is in the commit of the ingest's end, or before
 * the object is stored. It is removed as soon as no live ingest holds it, at the latest at the next start.
 */
export class UnusedMedia {
  readonly #options: UnusedMediaOptions;
  readonly #holders: ((contentId: string) => boolean)[] = [];
  readonly #noted = new Set<string>();
  #isOpen = false;

  constructor(options: UnusedMediaOptions) {
    this.#options = options;
  }

  /** Reads what an earlier process noted and could not remove. */
  async load(): Promise<void> {
    for (const { key, value } of await this.#options.ledger.list('record', prefix)) {
      if (unusedRow.safeParse(value).success) this.#noted.add(key.slice(prefix.length));
    }
  }

  /** Asks, before anything is removed, whether it is still held. */
  heldBy(isHeld: (contentId: string) => boolean): void {
    this.#holders.push(isHeld);
  }

  /** The note to commit with the end of the ingest that held the object. */
  note(contentId: string, bytes: number | null): Write {
    this.#noted.add(contentId);
    return { put: 'record', key: `${prefix}${contentId}`, value: { bytes } };
  }

  /**
   * Removes every noted object that no source holds, and forgets those that became part of a source after all. The first call
   * must come when every live ingest is resumed: only then each of them lists the objects that it holds.
   */
  async remove(): Promise<void> {
    this.#isOpen = true;
    const { ledger, objectStore, isRegistered } = this.#options;
    for (const contentId of [...this.#noted]) {
      if (this.isHeld(contentId)) continue;
      if (!isRegistered(contentId)) {
        // Kept, too, while the same bytes are being stored once more: the ingest that stores them will end as well.
        if (!(await objectStore.discard(contentId))) continue;
        // Another ingest may hold the same bytes by now, and has to find the note when it ends.
        if (this.isHeld(contentId)) continue;
      }
      this.#noted.delete(contentId);
      await ledger.commit([{ del: 'record', key: `${prefix}${contentId}` }]);
    }
  }

  /** True if live work holds an object. */
  isHeld(contentId: string): boolean {
    return this.#holders.some((isHeld) => isHeld(contentId));
  }

  /** The same without waiting for it, once it was called for the first time; a failure is reported, and the removal tried again later. */
  removeSoon(): void {
    if (!this.#isOpen) return;
    this.remove().catch((error) => {
      this.#options.report(`media of an ended ingest stays until the next start: ${error}`);
    });
  }
}
