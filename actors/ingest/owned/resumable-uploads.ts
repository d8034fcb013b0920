import { isDeepStrictEqual } from 'node:util';
import type { StateValue } from 'xstate';
import { ServiceError } from '../../../contract/base/errors.ts';
import type { ObjectRef } from '../../../storage/objects/object-store.ts';
import type { HostBasis } from '../../host-basis.ts';
import type { ActorDefinition } from '../../supervision/actor-definition.ts';
import { type ActorRow, snapshotValue } from '../../supervision/actor-row.ts';
import type { ProgressBoard } from '../../supervision/progress-board.ts';
import { readStored } from '../../supervision/stored-read.ts';
import { ownedIngestInput } from './owned-ingest-row.ts';
import { ResumableUpload } from './resumable-upload.ts';
import { inboxNameOf, type UploadNote, UploadNotes } from './upload-notes.ts';

export interface ResumableUploadsOptions extends Pick<HostBasis, 'ledger' | 'objectStore' | 'supervisor' | 'report'> {
  readonly progress: Pick<ProgressBoard, 'note' | 'forget'>;
  /** Media was stored for an ingest that had ended meanwhile. */
  readonly unneeded: (media: ObjectRef) => Promise<void>;
  /** Called when an upload has ended, well or not. */
  readonly released: () => void;
}

const isAwaitingMedia = ({ value }: { readonly value: StateValue }): boolean =>
  isDeepStrictEqual(value, { queued: 'awaitingMedia' });

const isAwaiting = (row: ActorRow): boolean => isAwaitingMedia({ value: snapshotValue(row) });

/** The uploads in parts of all owned ingests that wait for their media. */
export class ResumableUploads {
  readonly #options: ResumableUploadsOptions;
  readonly #notes: UploadNotes;
  readonly #uploads = new Map<string, ResumableUpload>();

  constructor(options: ResumableUploadsOptions) {
    this.#options = options;
    this.#notes = new UploadNotes(options.ledger);
  }

  /**
   * Takes up what an earlier host had noted, once its ingests are taken up. An upload that was whole goes on to its ingest; one
   * whose file is gone begins anew.
   */
  async load(): Promise<void> {
    for (const [ingestId, note] of await this.#notes.load()) {
      const row = this.#readable(ingestId);
      // Until its ingest can be read again, the upload stays where it is.
      if (row === null) continue;
      if (row !== undefined && isAwaiting(row)) await this.#takeUp(ingestId, row, note);
      else await this.#drop(ingestId);
    }
  }

  /** The row of an ingest; null where it is damaged. */
  #readable(ingestId: string): ActorRow | null | undefined {
    try {
      return readStored(() => this.#options.supervisor.read(ingestId));
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      this.#options.report(`the partial upload of ${ingestId} is left aside, because the row of its ingest is damaged`);
      return null;
    }
  }

  /** The upload of an ingest that waits for its media. */
  of(ingestId: string, declaredBytes: number): ResumableUpload {
    return this.#uploads.get(ingestId) ?? this.#open(ingestId, declaredBytes, 0);
  }

  isSending(ingestId: string): boolean {
    const upload = this.#uploads.get(ingestId);
    return upload !== undefined && (upload.isSending || upload.isEnding);
  }

  /** Whether media is in the object store that its ingest is only about to be told of. */
  get isStoring(): boolean {
    return [...this.#uploads.values()].some((upload) => upload.isEnding);
  }

  /** A definition whose commits also forget the uploads of ingests that stop waiting for their media. */
  following(definition: ActorDefinition): ActorDefinition {
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
    // What cannot be removed now is swept at the next start.
    upload.end(reason).catch((error) => this.#options.report(`a partial upload stays until the next start: ${error}`));
  }

  #open(ingestId: string, declaredBytes: number, offset: number): ResumableUpload {
    const { objectStore, supervisor, progress, released } = this.#options;
    const upload = new ResumableUpload({
      declaredBytes,
      offset,
      file: objectStore.partial(inboxNameOf(ingestId)),
      note: (note) => this.#notes.put(ingestId, note),
      arrived: (completed) =>
        progress.note(ingestId, { stage: 'upload', completed, total: declaredBytes, unit: 'bytes' }),
      received: async (media) => {
        try {
          await this.#received(ingestId, media);
        } finally {
          released();
        }
      },
      faulted: async (message) => {
        await supervisor.send(ingestId, { type: 'upload.failed', message });
      },
    });
    this.#uploads.set(ingestId, upload);
    return upload;
  }

  async #received(ingestId: string, media: ObjectRef): Promise<void> {
    const { supervisor, unneeded } = this.#options;
    if (await supervisor.send(ingestId, { type: 'media.received', ...media })) return;
    await unneeded(media);
    throw new ServiceError('upload_gone', 'the ingest ended while its media was being sent');
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
      await this.#received(ingestId, { contentId, bytes: declaredBytes });
    } else {
      report(`the partial upload of ${ingestId} is gone, and begins anew`);
      await this.#drop(ingestId);
    }
  }

  async #drop(ingestId: string): Promise<void> {
    await this.#notes.forget(ingestId);
    await this.#options.objectStore.partial(inboxNameOf(ingestId)).remove();
  }
}
