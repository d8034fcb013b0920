import { z } from 'zod';
import type { Ledger, Write } from '../../../storage/ledger/ledger.ts';

const prefix = 'upload/';

const uploadNote = z.strictObject({
  /** How many bytes of the file are on disk and count. */
  offset: z.number().int().nonnegative(),
  /** What the whole file is; null while parts of it are missing. */
  contentId: z.string().nullable(),
});
export type UploadNote = z.infer<typeof uploadNote>;

/** The name of an ingest's files in the inbox: the UUID of its id. */
export const inboxNameOf = (ingestId: string): string => ingestId.slice(ingestId.indexOf(':') + 1);

const rowsOf = async (ledger: Ledger): Promise<Map<string, UploadNote>> => {
  const rows = await ledger.list('record', prefix);
  return new Map(
    rows.flatMap(({ key, value }) => {
      const note = uploadNote.safeParse(value);
      return note.success ? [[key.slice(prefix.length), note.data] as const] : [];
    }),
  );
};

/** The names of the partial files that an earlier host has noted bytes of. */
export const notedParts = async (ledger: Ledger): Promise<ReadonlySet<string>> =>
  new Set([...(await rowsOf(ledger)).keys()].map(inboxNameOf));

/** How far each upload in parts has come, on disk. A note goes in the commit with which its ingest stops waiting for media. */
export class UploadNotes {
  readonly #ledger: Ledger;
  readonly #noted = new Set<string>();

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  /** What an earlier host noted, by ingest. */
  async load(): Promise<ReadonlyMap<string, UploadNote>> {
    const notes = await rowsOf(this.#ledger);
    for (const ingestId of notes.keys()) this.#noted.add(ingestId);
    return notes;
  }

  /** Resolves when the note is on disk. */
  async put(ingestId: string, note: UploadNote): Promise<void> {
    this.#noted.add(ingestId);
    await this.#ledger.commit([{ put: 'record', key: `${prefix}${ingestId}`, value: note }]);
  }

  /** What a commit must add to forget an upload. */
  forgetting(ingestId: string): readonly Write[] {
    return this.#noted.delete(ingestId) ? [{ del: 'record', key: `${prefix}${ingestId}` }] : [];
  }

  async forget(ingestId: string): Promise<void> {
    await this.#ledger.commit(this.forgetting(ingestId));
  }
}
