import type { JournalEvent } from '../../contract/journal.ts';
import { canonicalJson } from '../../formats/canonical-json.ts';
import { BoundedMap } from '../../storage/bounded-map.ts';

// In characters of their texts; a study of the sample has 87 KiB of events.
const rememberedText = 1024 * 1024;

/**
 * The events that this process encoded last, by their texts. Each stage of a study reads the events of the stage before from the
 * ledger. The same text is the same event, so it is not parsed again.
 */
export class EncodedEvents {
  readonly #events = new BoundedMap<string, { readonly event: JournalEvent; readonly length: number }>(
    rememberedText,
    ({ length }) => length,
  );

  /** The canonical JSON of an event of the ledger. The maker of its draft checked it by the schema of its type. */
  readonly encode = (event: unknown): string => {
    const text = canonicalJson(event);
    this.#events.set(text, { event: event as JournalEvent, length: text.length });
    return text;
  };

  /** The event that this process encoded as this text. */
  readonly of = (text: string): JournalEvent | undefined => this.#events.get(text)?.event;

  /** Must be called after a deletion: the events of a deleted journal go as well. */
  clear(): void {
    this.#events.clear();
  }
}
