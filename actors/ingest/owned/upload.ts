import { ServiceError } from '../../../contract/base/errors.ts';
import type { OwnedIngestStatus } from '../../../contract/ingest.ts';
import type { Announce, ObjectRef, ObjectStore, Receiving } from '../../../storage/objects/object-store.ts';
import { ObjectStoreError } from '../../../storage/objects/object-store-error.ts';
import { refusedWrite } from '../../supervision/refused-write.ts';

interface UploadOutcome {
  /** So many bytes have come so far. */
  arrived(bytes: number): void;
  /** The media is about to be stored, and no ingest holds it yet. */
  readonly announced: Announce;
  received(media: ObjectRef): Promise<OwnedIngestStatus>;
  /** The storage failed: the ingest cannot go on. */
  faulted(message: string): Promise<void>;
  /** The claim on the ingest ends, well or not. */
  released(): void;
}

/**
 * One upload on its way into the object store. Bytes that arrive before the inbox file is open are held for a moment; `pause`
 * and `resume` carry the disk's pace to the socket. An upload that does not arrive whole leaves nothing behind and its
 * ingest open for another.
 */
export class Upload {
  readonly #outcome: UploadOutcome;
  readonly #declaredBytes: number;
  readonly #opening: Promise<Receiving>;
  #held: Buffer[] = [];
  #arrived = 0;
  #settled = false;
  #isEnding = false;

  constructor(
    objectStore: Pick<ObjectStore, 'receive'>,
    ingestId: string,
    declaredBytes: number,
    outcome: UploadOutcome,
  ) {
    this.#outcome = outcome;
    this.#declaredBytes = declaredBytes;
    this.#opening = objectStore.receive(ingestId.slice(ingestId.indexOf(':') + 1), declaredBytes);
    // Awaited again when the upload is ended.
    this.#opening.catch(() => undefined);
  }

  /** Wires the flow of a socket: must be called at once, before any chunk. */
  connect(flow: { pause(): void; resume(): void }): void {
    flow.pause();
    this.#opening.then(
      (receiving) => {
        receiving.onDrain(() => flow.resume());
        this.#take = (chunk) => {
          if (!receiving.write(chunk)) flow.pause();
        };
        // The disk may fall behind over what was held; its drain resumes the flow then.
        flow.resume();
        for (const chunk of this.#held.splice(0)) this.#take(chunk);
      },
      () => {
        // There is no file to write to: the rest is let through and dropped, and the end of the body says why.
        this.#held = [];
        this.#take = () => undefined;
        flow.resume();
      },
    );
  }

  #take = (chunk: Buffer): void => void this.#held.push(chunk);

  /** Takes the next bytes. Throws `invalid_upload_length` as soon as more arrived than was declared. */
  chunk(bytes: Buffer): void {
    if (this.#settled) return;
    this.#arrived += bytes.length;
    if (this.#arrived > this.#declaredBytes) throw wrongLength();
    this.#take(bytes);
    this.#outcome.arrived(this.#arrived);
  }

  /** The media is being put into the object store, and no ingest holds it yet. */
  get isEnding(): boolean {
    return this.#isEnding;
  }

  /** The body is complete: seals it into the object store and sends the ingest its event. */
  async end(): Promise<OwnedIngestStatus> {
    if (this.#settled || this.#arrived !== this.#declaredBytes) {
      await this.abandon();
      throw wrongLength();
    }
    this.#settled = true;
    this.#isEnding = true;
    try {
      const receiving = await this.#opening;
      const media = await receiving.finish(this.#outcome.announced);
      return await this.#outcome.received(media);
    } catch (error) {
      if (!(error instanceof ObjectStoreError)) throw error;
      await this.#outcome.faulted(error.message);
      throw refusedWrite(error, 'received');
    } finally {
      this.#outcome.released();
    }
  }

  /** Drops what has arrived; the ingest stays open. Harmless once the upload has ended. */
  async abandon(): Promise<void> {
    if (this.#settled) return;
    this.#settled = true;
    try {
      await (await this.#opening).discard();
    } catch {
      // A file that could not be opened leaves nothing to discard; the next start sweeps one that could not be removed.
    } finally {
      this.#outcome.released();
    }
  }
}

/** The answer to bytes of another number than the ingest declares. */
export const wrongLength = () =>
  new ServiceError('invalid_upload_length', 'the media does not have as many bytes as were declared');
