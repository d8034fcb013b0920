import { ServiceError } from '../../../contract/base/errors.ts';
import type { ObjectRef, PartialFile } from '../../../storage/objects/object-store.ts';
import { ObjectStoreError } from '../../../storage/objects/object-store-error.ts';
import type { UploadNote } from './upload-notes.ts';
import { type PartClaim, type PartOwner, UploadPart } from './upload-part.ts';

export interface ResumableUploadOptions {
  readonly declaredBytes: number;
  readonly file: PartialFile;
  /** The offset that an earlier host has noted; 0 at first. */
  readonly offset: number;
  note(note: UploadNote): Promise<void>;
  /** So many bytes have come so far. */
  arrived(bytes: number): void;
  /** Gives the media to its ingest. */
  received(media: ObjectRef): Promise<void>;
  /** The storage failed: the ingest cannot go on. */
  faulted(message: string): Promise<void>;
}

/**
 * The upload of one ingest in parts. An offset counts when the bytes before it are synced and the offset is noted, so that any later
 * host goes on from there. One part at a time is taken: a new one ends the one before it, which may be that of a dead connection.
 */
export class ResumableUpload implements PartOwner {
  readonly #options: ResumableUploadOptions;
  #offset: number;
  #part: UploadPart | null = null;
  #committing: Promise<void> = Promise.resolve();
  #finishing: Promise<void> | null = null;
  #over: ServiceError | null = null;

  constructor(options: ResumableUploadOptions) {
    this.#options = options;
    this.#offset = options.offset;
  }

  get declaredBytes(): number {
    return this.#options.declaredBytes;
  }

  get file(): PartialFile {
    return this.#options.file;
  }

  get counted(): number {
    return this.#offset;
  }

  /** Whether a client sends a part right now. */
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
    const committed = this.#committing.then(async () => {
      const offset = await this.file.sync();
      if (offset <= this.#offset || this.#over !== null) return;
      if (offset === this.declaredBytes && extent !== 'whole') return;
      await this.#options.note({ offset, contentId: null });
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
    const { note, received } = this.#options;
    const bytes = this.declaredBytes;
    await received(await this.file.finish(bytes, ({ contentId }) => note({ offset: bytes, contentId })));
  }
}
