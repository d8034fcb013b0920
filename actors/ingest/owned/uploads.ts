import { isDeepStrictEqual } from 'node:util';
import type { StateValue } from 'xstate';
import { z } from 'zod';
import { ServiceError } from '../../../contract/base/errors.ts';
import type { Ledger, Write } from '../../../storage/ledger/ledger.ts';
import type { Announce, IncomingFile, ObjectRef } from '../../../storage/objects/object-store.ts';
import { ObjectStoreError, storageFault } from '../../../storage/objects/object-store-error.ts';
import type { HostBasis } from '../../host-basis.ts';
import type { ActorDefinition } from '../../supervision/actor-definition.ts';
import { type ActorRow, snapshotValue } from '../../supervision/actor-row.ts';
import type { ProgressBoard } from '../../supervision/progress-board.ts';
import { readStored } from '../../supervision/reads.ts';
import { ownedIngestInput } from './owned-ingest-definition.ts';
import { type PartClaim, type PartOwner, UploadPart } from './upload-part.ts';

const prefix = 'upload/';

const uploadNote = z.strictObject({
  /** How many bytes of the file are on disk and count. */
  offset: z.number().int().nonnegative(),
  /** The content id of the whole file; null while parts of it are missing. */
  contentId: z.string().nullable(),
});
export type UploadNote = z.infer<typeof uploadNote>;

/** The name of an ingest's files in the inbox: the UUID of its id. */
const inboxNameOf = (ingestId: string): string => ingestId.slice(ingestId.indexOf(':') + 1);

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
class UploadNotes {
  readonly #ledger: Ledger;
  readonly #noted = new Set<string>();

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  /** The notes of an earlier host, by ingest. */
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

  /** The writes that make a commit forget an upload. */
  forgetting(ingestId: string): readonly Write[] {
    return this.#noted.delete(ingestId) ? [{ del: 'record', key: `${prefix}${ingestId}` }] : [];
  }

  async forget(ingestId: string): Promise<void> {
    await this.#ledger.commit(this.forgetting(ingestId));
  }
}

interface UploadOptions {
  readonly declaredBytes: number;
  readonly file: IncomingFile;
  /** The offset that an earlier host has noted; 0 at first. */
  readonly offset: number;
  /** Puts a note on disk. Null for a file that comes whole: nothing of it counts before its end, and no later host goes on with it. */
  readonly note: ((note: UploadNote) => Promise<void>) | null;
  /** So many bytes have come so far. */
  arrived(bytes: number): void;
  /** The media is about to be stored, and no ingest holds it yet. */
  readonly announced: Announce;
  /** Gives the media to its ingest. */
  received(media: ObjectRef): Promise<void>;
  /** The storage failed: the ingest cannot go on. */
  faulted(message: string): Promise<void>;
}

/**
 * The upload of one ingest, in parts or whole in one body. An offset counts when the bytes before it are synced and the offset is noted,
 * so that any later host goes on from there. One part at a time is taken: a new one ends the one before it, which may be that of a dead
 * connection.
 */
export class Upload implements PartOwner {
  readonly #options: UploadOptions;
  #offset: number;
  #part: UploadPart | null = null;
  #committing: Promise<void> = Promise.resolve();
  #finishing: Promise<void> | null = null;
  #over: ServiceError | null = null;

  constructor(options: UploadOptions) {
    this.#options = options;
    this.#offset = options.offset;
  }

  get declaredBytes(): number {
    return this.#options.declaredBytes;
  }

  get file(): IncomingFile {
    return this.#options.file;
  }

  get keepsParts(): boolean {
    return this.#options.note !== null;
  }

  get counted(): number {
    return this.#offset;
  }

  /** True if a client sends a part right now. */
  get isSending(): boolean {
    return this.#part !== null;
  }

  /** The file is whole: it becomes an object of the store, and no ingest holds it yet. */
  get isEnding(): boolean {
    return this.#finishing !== null;
  }

  /** How many bytes count, those included that have just arrived. */
  async offset(): Promise<number> {
    // A commit that fails ends the part, which says why.
    if (this.#part?.isCountable === true && !this.isEnding) await this.commit().catch(() => undefined);
    return this.#offset;
  }

  /** Takes a part; the one that is being sent ends with `upload_superseded`. Throws `invalid_upload_length`. */
  begin(claim: PartClaim): UploadPart {
    if (claim.offset + (claim.bytes ?? 0) > this.declaredBytes) {
      throw new ServiceError(
        'invalid_upload_length',
        `the part would end behind the declared ${this.declaredBytes} bytes`,
      );
    }
    const before = this.#part;
    before?.stop(new ServiceError('upload_superseded', 'another request goes on with this upload'));
    const part = new UploadPart(this, claim, before?.settled ?? Promise.resolve());
    this.#part = part;
    part.settled.then(() => {
      if (this.#part === part) this.#part = null;
    });
    return part;
  }

  /** The ingest takes no more media, for this reason: ends the part that is being sent, and deletes the file. */
  async end(reason: ServiceError): Promise<void> {
    this.#over = reason;
    this.#part?.stop(reason);
    await this.#part?.settled;
    await this.#finishing?.catch(() => undefined);
    await this.file.remove();
  }

  async open(): Promise<number> {
    if (this.#over !== null) throw this.#over;
    this.#offset = await this.file.open(this.#offset);
    return this.#offset;
  }

  commit(extent: 'whole' | 'part' = 'part'): Promise<void> {
    const { note } = this.#options;
    const committed = this.#committing.then(async () => {
      const offset = note === null && extent === 'part' ? this.file.written : await this.file.sync();
      if (offset <= this.#offset || this.#over !== null) return;
      if (offset === this.declaredBytes && extent !== 'whole') return;
      await note?.({ offset, contentId: null });
      this.#offset = offset;
      this.file.settle(offset);
    });
    this.#committing = committed.catch(() => undefined);
    return committed;
  }

  completed(): Promise<void> {
    this.#finishing ??= this.#finish().finally(() => {
      this.#finishing = null;
    });
    return this.#finishing;
  }

  arrived(bytes: number): void {
    this.#options.arrived(bytes);
  }

  faulted(message: string): Promise<void> {
    return this.#options.faulted(message);
  }

  /** Makes media of a file that was whole when an earlier host ended. A fault of the storage ends the ingest. */
  async finishLeft(): Promise<void> {
    try {
      await this.completed();
    } catch (error) {
      if (!(error instanceof ObjectStoreError)) throw error;
      await this.faulted(error.message);
    }
  }

  async #finish(): Promise<void> {
    const { note, announced, received } = this.#options;
    const bytes = this.declaredBytes;
    const media = await this.file.finish(bytes, async (object, isNew) => {
      await announced(object, isNew);
      await note?.({ offset: bytes, contentId: object.contentId });
    });
    await received(media);
  }
}

interface UploadsOptions extends Pick<HostBasis, 'ledger' | 'objectStore' | 'supervisor' | 'report'> {
  readonly progress: Pick<ProgressBoard, 'note' | 'forget'>;
  /** Notes media that an ingest brings, before it is stored. */
  readonly announced: Announce;
  /** Called when an upload has ended, well or not. */
  readonly released: () => void;
}

const isAwaitingMedia = ({ value }: { readonly value: StateValue }): boolean =>
  isDeepStrictEqual(value, { queued: 'awaitingMedia' });

const isAwaiting = (row: ActorRow): boolean => isAwaitingMedia({ value: snapshotValue(row) });

/** The uploads of all owned ingests that wait for their media. */
export class Uploads {
  readonly #options: UploadsOptions;
  readonly #notes: UploadNotes;
  /** Those in parts. */
  readonly #uploads = new Map<string, Upload>();
  /** Those of files that come whole. */
  readonly #whole = new Map<string, Upload>();
  /** Those whose ingests have ended, and that may be storing media still. */
  readonly #leaving = new Set<Upload>();

  constructor(options: UploadsOptions) {
    this.#options = options;
    this.#notes = new UploadNotes(options.ledger);
  }

  /**
   * Takes up the uploads of an earlier host, once its ingests are taken up. An upload that was whole goes on to its ingest; one
   * whose file is gone starts from zero.
   */
  async load(): Promise<void> {
    for (const [ingestId, note] of await this.#notes.load()) {
      const row = this.#readable(ingestId);
      // Until its ingest can be read again, the upload stays as it is.
      if (row === null) continue;
      if (row !== undefined && isAwaiting(row)) await this.#takeUp(ingestId, row, note);
      else await this.#drop(ingestId);
    }
  }

  /** The row of an ingest; null if it is damaged. */
  #readable(ingestId: string): ActorRow | null | undefined {
    try {
      return readStored(() => this.#options.supervisor.read(ingestId));
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      this.#options.report(`the partial upload of ${ingestId} is left aside, because the row of its ingest is damaged`);
      return null;
    }
  }

  /** The upload in parts of an ingest that waits for its media. */
  of(ingestId: string, declaredBytes: number): Upload {
    return this.#uploads.get(ingestId) ?? this.#open(ingestId, declaredBytes, 0);
  }

  /** Begins to take a file that comes whole. What breaks off leaves nothing; its ingest stays open, and free for another upload. */
  whole<Status>(
    ingestId: string,
    declaredBytes: number,
    status: () => Status,
  ): { readonly part: UploadPart; readonly answered: Promise<Status> } {
    const { objectStore, progress, announced, released } = this.#options;
    let received: Status | undefined;
    const upload = new Upload({
      declaredBytes,
      offset: 0,
      file: objectStore.receive(inboxNameOf(ingestId)),
      note: null,
      // The client of a file that comes whole learns of the storage, whichever part of it failed.
      announced: (...given) => announced(...given).catch((error) => Promise.reject(storageFault(error, ingestId))),
      received: async (media) => {
        await this.#received(ingestId, media, 'ingest_upload_conflict');
        received = status();
      },
      ...this.#reports(ingestId, declaredBytes),
    });
    this.#whole.set(ingestId, upload);
    const part = upload.begin({ offset: 0, bytes: declaredBytes, checksum: null });
    const freed = part.settled.then(async () => {
      // The next start sweeps what cannot be removed now.
      await upload.file.remove().catch(() => undefined);
      this.#whole.delete(ingestId);
      progress.forget(ingestId);
      released();
    });
    const answered = freed.then(() => part.answered).then(() => received as Status);
    return { part, answered };
  }

  isSending(ingestId: string): boolean {
    const upload = this.#uploads.get(ingestId);
    return this.isWhole(ingestId) || (upload !== undefined && (upload.isSending || upload.isEnding));
  }

  /** True if a client sends the file of an ingest whole right now. */
  isWhole(ingestId: string): boolean {
    return this.#whole.has(ingestId);
  }

  /** How many files are being received whole. */
  get receiving(): number {
    return this.#whole.size;
  }

  /** True if the object store has media whose ingest is only about to get the event of it. */
  get isStoring(): boolean {
    return this.#leaving.size > 0 || [...this.#uploads.values(), ...this.#whole.values()].some((each) => each.isEnding);
  }

  /** A definition whose commits also forget the uploads of ingests that stop waiting for their media. */
  following(definition: ActorDefinition<'owned-ingest'>): ActorDefinition<'owned-ingest'> {
    return {
      ...definition,
      writes: (change) => [
        ...definition.writes(change),
        ...(isAwaitingMedia(change.after) ? [] : this.#notes.forgetting(change.id)),
      ],
      committed: (ingestId, row) => {
        definition.committed(ingestId, row);
        this.#committed(ingestId, row);
      },
    };
  }

  /** A row of an ingest is on disk: one that waits for media no more needs its partial file no more. */
  #committed(ingestId: string, row: ActorRow): void {
    const upload = this.#uploads.get(ingestId);
    if (upload === undefined || isAwaiting(row)) return;
    this.#uploads.delete(ingestId);
    this.#options.progress.forget(ingestId);
    const reason =
      row.status === 'failed'
        ? new ServiceError('upload_gone', 'the ingest ended while its media was being sent')
        : new ServiceError('ingest_upload_conflict', 'the media of this ingest was sent before');
    this.#leaving.add(upload);
    // The next start sweeps what cannot be removed now.
    upload
      .end(reason)
      .catch((error) => this.#options.report(`a partial upload stays until the next start: ${error}`))
      .finally(() => {
        this.#leaving.delete(upload);
        this.#options.released();
      });
  }

  #open(ingestId: string, declaredBytes: number, offset: number): Upload {
    const { objectStore, announced, released } = this.#options;
    const upload = new Upload({
      declaredBytes,
      offset,
      file: objectStore.partial(inboxNameOf(ingestId)),
      note: (note) => this.#notes.put(ingestId, note),
      announced,
      received: async (media) => {
        try {
          await this.#received(ingestId, media, 'upload_gone');
        } finally {
          released();
        }
      },
      ...this.#reports(ingestId, declaredBytes),
    });
    this.#uploads.set(ingestId, upload);
    return upload;
  }

  #reports(ingestId: string, total: number): Pick<UploadOptions, 'arrived' | 'faulted'> {
    const { supervisor, progress } = this.#options;
    return {
      arrived: (completed) => progress.note(ingestId, { stage: 'upload', completed, total, unit: 'bytes' }),
      faulted: async (message) => void (await supervisor.send(ingestId, { type: 'upload.failed', message })),
    };
  }

  async #received(ingestId: string, media: ObjectRef, code: 'upload_gone' | 'ingest_upload_conflict'): Promise<void> {
    if (await this.#options.supervisor.send(ingestId, { type: 'media.received', ...media })) return;
    throw new ServiceError(code, 'the ingest ended while its media was being sent');
  }

  async #takeUp(ingestId: string, { input }: ActorRow, { offset, contentId }: UploadNote): Promise<void> {
    const { objectStore, report } = this.#options;
    const { declaredBytes } = ownedIngestInput.parse(input);
    const isWhole = offset === declaredBytes;
    if ((await objectStore.partial(inboxNameOf(ingestId)).bytes()) >= offset) {
      const upload = this.#open(ingestId, declaredBytes, offset);
      if (isWhole) upload.finishLeft().catch((error) => report(`the upload of ${ingestId} was not finished: ${error}`));
    } else if (isWhole && contentId !== null && (await objectStore.verify(contentId)) === 'intact') {
      // The host ended between the last move of the file and the commit of its ingest.
      await this.#received(ingestId, { contentId, bytes: declaredBytes }, 'upload_gone');
    } else {
      report(`the partial upload of ${ingestId} is gone, and starts from zero`);
      await this.#drop(ingestId);
    }
  }

  async #drop(ingestId: string): Promise<void> {
    await this.#notes.forget(ingestId);
    await this.#options.objectStore.partial(inboxNameOf(ingestId)).remove();
  }
}
