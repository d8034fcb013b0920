import { createHash, type Hash } from 'node:crypto';
import { ServiceError } from '../../../contract/base/errors.ts';
import { lookedAtBytes, notMedia } from '../../../formats/first-bytes.ts';
import type { IncomingFile } from '../../../storage/objects/object-store.ts';
import { ObjectStoreError } from '../../../storage/objects/object-store-error.ts';
import { isFull, refusedWrite } from '../../supervision/refused-write.ts';

/** A file of at most so many bytes is left to its probe, whatever it begins with: it is here before it could be stopped. */
const smallBytes = 8 * 1024 * 1024;

/** The claim of a client about the bytes that it sends. */
export interface PartClaim {
  /** Where in the file they begin. */
  readonly offset: number;
  /** The number of bytes; null if they are sent without a length. */
  readonly bytes: number | null;
  readonly checksum: { readonly algorithm: 'sha1' | 'sha256'; readonly digest: Buffer } | null;
}

/** The upload that a part belongs to, as far as a part needs it. */
export interface PartOwner {
  readonly declaredBytes: number;
  readonly file: IncomingFile;
  /**
   * True if the bytes of a part that breaks off count. False for a file that comes whole in one body: it counts at its end or not at
   * all. Its probe alone judges its beginning, and a fault is answered when its body has ended.
   */
  readonly keepsParts: boolean;
  /** How many bytes count. */
  readonly counted: number;
  /** Opens the file where the bytes that count end; resolves with that offset. */
  open(): Promise<number>;
  /**
   * Counts the bytes written so far. It counts the end of the file only as `whole`, so that a body that goes on behind it is
   * found to be too long.
   */
  commit(extent?: 'whole'): Promise<void>;
  /** The whole file counts: resolves when it has become media. */
  completed(): Promise<void>;
  /** So many bytes of the file have come, those included that do not count yet. */
  arrived(bytes: number): void;
  /** A fault that ends the ingest. */
  faulted(message: string): Promise<void>;
}

/** So many bytes are taken before those before them are synced and noted, in bytes: what a death of the host can cost. */
export const commitBytes = 8 * 1024 * 1024;

/** The answer to bytes of another number than the ingest declares. */
export const wrongLength = () =>
  new ServiceError('invalid_upload_length', 'the media does not have as many bytes as were declared');

interface Flow {
  pause(): void;
  resume(): void;
}

interface Ending {
  /** Why the part was not taken as it was sent; null where its body came to its end. */
  readonly fault: Error | null;
  /** True if the bytes that are not noted yet count. */
  readonly keeps: boolean;
}

/**
 * The body of one request on its way to the disk: a part of an upload, or all of a file that comes whole. Bytes that arrive before
 * the file is open are held, and `pause` and `resume` carry the disk's pace to the socket. What ends it first decides its answer.
 */
export class UploadPart {
  /** The offset behind the part, once it counts. Rejects with the reason why the part was not taken. */
  readonly answered: Promise<number>;
  /** Resolves when the part touches the file no more. */
  readonly settled: Promise<void>;
  readonly #owner: PartOwner;
  readonly #claim: PartClaim;
  readonly #hash: Hash | null;
  readonly #ending: Promise<Ending>;
  #over: Ending | null = null;
  #resolveEnding: (ending: Ending) => void = () => undefined;
  #flow: Flow = { pause: () => undefined, resume: () => undefined };
  #held: Buffer[] | null = [];
  #taken = 0;
  #written = 0;
  #isCommitting = false;
  /** The reason why the file is not media; null unless its beginning shows it. */
  #unfit: string | null = null;
  #committing: Promise<void> = Promise.resolve();

  /** Begins when `before`, the part that it follows, has settled. */
  constructor(owner: PartOwner, claim: PartClaim, before: Promise<void>) {
    this.#owner = owner;
    this.#claim = claim;
    this.#hash = claim.checksum === null ? null : createHash(claim.checksum.algorithm);
    this.#ending = new Promise((resolve) => {
      this.#resolveEnding = resolve;
    });
    this.answered = before.then(() => this.#run());
    this.settled = this.answered.then(
      () => undefined,
      () => undefined,
    );
  }

  /** True if the bytes that have arrived may count before the part has ended. */
  get isCountable(): boolean {
    return this.#hash === null;
  }

  /** Wires the flow of a socket: must be called at once, before any chunk. */
  connect(flow: Flow): void {
    this.#flow = flow;
    if (this.#held !== null) flow.pause();
  }

  chunk(bytes: Buffer): void {
    if (this.#over !== null) return;
    this.#taken += bytes.length;
    if (this.#claim.offset + this.#taken > this.#owner.declaredBytes) this.#end({ fault: wrongLength(), keeps: false });
    else if (this.#held !== null) this.#held.push(bytes);
    else this.#take(bytes);
  }

  /** The body is complete. */
  end(): void {
    const { keepsParts, declaredBytes } = this.#owner;
    const isWhole = keepsParts || this.#taken === declaredBytes;
    this.#end({ fault: isWhole ? null : wrongLength(), keeps: isWhole });
  }

  /** The client is gone, or its part must give way: what has arrived counts if parts do. */
  stop(fault: Error): void {
    this.#end({ fault, keeps: this.isCountable && this.#owner.keepsParts });
  }

  /** The first of them decides how the part ends. */
  #end(ending: Ending): void {
    this.#over ??= ending;
    this.#resolveEnding(this.#over);
  }

  async #run(): Promise<number> {
    try {
      if (this.#over?.fault) throw this.#over.fault;
      // The bytes of a file that comes whole are dropped then, until its body has ended.
      let obstacle: unknown = null;
      await this.#open().catch((error: unknown) => {
        if (this.#owner.keepsParts) throw error;
        obstacle = error;
      });
      this.#flowOn();
      const { fault, keeps } = await this.#ending;
      if (this.#unfit !== null) {
        await this.#owner.faulted(this.#unfit);
        throw new ServiceError('upload_gone', this.#unfit);
      }
      if (fault === null) this.#checkSum();
      if (keeps && obstacle !== null) throw obstacle;
      if (keeps) await this.#count();
      if (fault !== null) throw fault;
      return this.#owner.counted;
    } catch (error) {
      throw await this.#coded(error);
    } finally {
      this.#end({ fault: null, keeps: false });
      this.#held = null;
      await this.#committing;
      await this.#owner.file.close().catch(() => undefined);
    }
  }

  /** A whole file becomes media even if its client is gone. */
  async #count(): Promise<void> {
    await this.#owner.file.drained();
    await this.#owner.commit('whole');
    if (this.#owner.counted === this.#owner.declaredBytes) await this.#owner.completed();
  }

  async #open(): Promise<void> {
    const offset = await this.#owner.open();
    if (offset !== this.#claim.offset) {
      throw new ServiceError(
        'upload_offset_conflict',
        `the upload is at offset ${offset}, not at ${this.#claim.offset}`,
        {
          'Upload-Offset': String(offset),
        },
      );
    }
  }

  #flowOn(): void {
    this.#owner.file.onDrain(() => this.#flow.resume());
    const held = this.#held ?? [];
    this.#held = null;
    // The disk may fall behind over what was held; its drain resumes the flow then.
    this.#flow.resume();
    for (const bytes of held) this.#take(bytes);
  }

  #take(bytes: Buffer): void {
    const { file } = this.#owner;
    if (this.#unfit !== null) return;
    if (this.#claim.offset + this.#written === 0 && this.#refuses(bytes)) return;
    this.#hash?.update(bytes);
    this.#written += bytes.length;
    this.#owner.arrived(this.#claim.offset + this.#written);
    if (!file.write(bytes)) this.#flow.pause();
    if (file.failure !== null && this.#owner.keepsParts) this.#end({ fault: file.failure, keeps: false });
    this.#commitSome();
  }

  /**
   * Ends a part of a large file, and its ingest, that begins as no media does. A small file is left to its probe. So is a
   * beginning that comes in small pieces, as the first bytes of a WAV or an Ogg alone are text.
   */
  #refuses(beginning: Buffer): boolean {
    const { keepsParts, declaredBytes } = this.#owner;
    if (!keepsParts || declaredBytes <= smallBytes || beginning.length < lookedAtBytes) return false;
    const what = notMedia(beginning);
    if (what === null) return false;
    this.#unfit = `the file is ${what}, and no media`;
    this.#end({ fault: null, keeps: false });
    return true;
  }

  /** Lets the bytes count that the system has taken, while others follow. */
  #commitSome(): void {
    const { file, counted } = this.#owner;
    if (!this.isCountable || this.#isCommitting || file.written - counted < commitBytes) return;
    this.#isCommitting = true;
    this.#committing = this.#owner
      .commit()
      .catch((fault) => this.#end({ fault, keeps: false }))
      .finally(() => {
        this.#isCommitting = false;
      });
  }

  #checkSum(): void {
    const { checksum } = this.#claim;
    if (checksum === null || this.#hash === null || checksum.digest.equals(this.#hash.digest())) return;
    throw new ServiceError(
      'upload_checksum_mismatch',
      'the bytes that arrived do not have the checksum of the request',
    );
  }

  /** A full disk leaves an upload in parts as it is; any other fault of the storage ends the ingest. */
  async #coded(error: unknown): Promise<unknown> {
    if (!(error instanceof ObjectStoreError)) return error;
    if (!isFull(error) || !this.#owner.keepsParts) await this.#owner.faulted(error.message);
    return refusedWrite(error, 'received');
  }
}
