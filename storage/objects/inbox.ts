import { createHash, type Hash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { privateFile, syncFolder } from './durable-file.ts';
import type { Announce, IncomingFile, ObjectRef } from './object-store.ts';
import { failedWith, type ObjectStoreError, storageFault } from './object-store-error.ts';

// The limit of bytes that wait for the disk, above which the sender has to pause.
const highWaterBytes = 4 * 1024 * 1024;

/** An open file that takes chunks at its end and writes them in order. It fails once, and from then on takes and drops them. */
class QueuedFile {
  readonly path: string;
  readonly #handle: FileHandle;
  #queue: Buffer[] = [];
  #queuedBytes = 0;
  #writtenBytes = 0;
  #failure: ObjectStoreError | null = null;
  #writing: Promise<void> | null = null;
  #onDrain: () => void = () => {};
  #paused = false;
  #closed = false;

  constructor(path: string, handle: FileHandle) {
    this.path = path;
    this.#handle = handle;
  }

  get failure(): ObjectStoreError | null {
    return this.#failure;
  }

  /** True if it still takes chunks. */
  get isOpen(): boolean {
    return !this.#closed && this.#failure === null;
  }

  /** Bytes that the system has taken since the file was opened. */
  get writtenBytes(): number {
    return this.#writtenBytes;
  }

  /** Takes a chunk; false asks to wait for the drain, which comes once. Never false after a failure. */
  write(chunk: Buffer): boolean {
    if (!this.isOpen) return true;
    this.#queue.push(chunk);
    this.#queuedBytes += chunk.length;
    this.#writing ??= this.#writeQueue();
    this.#paused = this.#queuedBytes >= highWaterBytes;
    return !this.#paused;
  }

  onDrain(listener: () => void): void {
    this.#onDrain = listener;
  }

  /** Drops what is queued, and every later chunk. The first failure stays. */
  fail(failure: ObjectStoreError): void {
    this.#failure ??= failure;
    this.#queue = [];
    this.#drain();
  }

  /** Waits until nothing is queued. Throws the failure. */
  async drained(): Promise<void> {
    await this.#writing;
    if (this.#failure !== null) throw this.#failure;
  }

  /** Puts what was written so far on the disk. */
  sync(): Promise<void> {
    return this.#handle.sync();
  }

  /** Waits until nothing is queued, and closes the file. */
  async close(): Promise<void> {
    await this.#writing;
    if (this.#closed) return;
    this.#closed = true;
    await this.#handle.close();
  }

  async #writeQueue(): Promise<void> {
    try {
      while (this.#queue.length > 0) {
        const chunks = this.#queue;
        const bytes = this.#queuedBytes;
        this.#queue = [];
        await writeWhole(this.#handle, chunks, bytes);
        if (this.#failure !== null) return;
        this.#writtenBytes += bytes;
        this.#queuedBytes -= bytes;
        if (this.#queuedBytes < highWaterBytes) this.#drain();
      }
    } catch (error) {
      this.fail(storageFault(error, this.path));
    } finally {
      this.#writing = null;
    }
  }

  #drain(): void {
    if (!this.#paused) return;
    this.#paused = false;
    this.#onDrain();
  }
}

async function writeWhole(handle: FileHandle, chunks: readonly Buffer[], bytes: number): Promise<void> {
  const { bytesWritten } = await handle.writev(chunks);
  if (bytesWritten === bytes) return;
  // A full disk takes part of the bytes and says why only at the next write.
  const rest = Buffer.concat(chunks).subarray(bytesWritten);
  await handle.writeFile(rest);
}

const readBytes = 1024 * 1024;

/**
 * The digest of a file that grows: it reads the bytes from the file, behind those that write them. So it works in the same way
 * for bytes of this process and of an earlier one.
 */
class FollowingDigest {
  readonly #path: string;
  #hash: Hash = createHash('sha256');
  #hashed = 0;
  #wanted = 0;
  #reading: Promise<void> | null = null;
  #fault: unknown;

  constructor(path: string) {
    this.#path = path;
  }

  /** Lets it read on to this offset, up to which the file does not change any more. */
  follow(offset: number): void {
    this.#wanted = Math.max(this.#wanted, offset);
    this.#reading ??= this.#read();
  }

  /** The content id of the first `bytes` of the file. Throws what reading it threw. */
  async contentId(bytes: number): Promise<string> {
    // A reading that is about to end takes up nothing more.
    await this.#reading;
    this.follow(bytes);
    await this.#reading;
    if (this.#hashed !== bytes) throw this.#fault ?? new Error(`${this.#path} ends before ${bytes} bytes`);
    return `sha256:${this.#hash.copy().digest('hex')}`;
  }

  /** Stops reading and restarts from zero, as the file does. */
  async restart(): Promise<void> {
    this.#wanted = 0;
    await this.#reading;
    this.#hash = createHash('sha256');
    this.#hashed = 0;
  }

  async #read(): Promise<void> {
    try {
      const handle = await open(this.#path, 'r');
      try {
        const buffer = Buffer.allocUnsafe(readBytes);
        while (this.#hashed < this.#wanted) {
          const length = Math.min(readBytes, this.#wanted - this.#hashed);
          const { bytesRead } = await handle.read(buffer, 0, length, this.#hashed);
          if (bytesRead === 0) break;
          this.#hash.update(buffer.subarray(0, bytesRead));
          this.#hashed += bytesRead;
        }
      } finally {
        await handle.close();
      }
    } catch (error) {
      this.#fault = error;
    } finally {
      this.#reading = null;
    }
  }
}

const appending = constants.O_RDWR | constants.O_CREAT | constants.O_APPEND | constants.O_NOFOLLOW;

/** The store of a file of the inbox: the whole file takes its place among the objects. */
interface InboxPort {
  /** The next host goes on with it: its name has to be on disk before its bytes count. */
  readonly outlives: boolean;
  /** Called when bytes of it are on disk. */
  synced(): void;
  isNew(contentId: string): Promise<boolean>;
  place(object: ObjectRef): Promise<void>;
  /** The file is in use from now on, or no longer. */
  used(isUsed: boolean): void;
}

/** A file of the inbox on its way in. Its digest follows by reading it, also for bytes of an earlier host. */
export class InboxFile implements IncomingFile {
  readonly #path: string;
  readonly #port: InboxPort;
  readonly #digest: FollowingDigest;
  #file: QueuedFile | null = null;
  #begin = 0;

  constructor(path: string, port: InboxPort) {
    this.#path = path;
    this.#port = port;
    this.#digest = new FollowingDigest(path);
  }

  async bytes(): Promise<number> {
    try {
      return (await stat(this.#path)).size;
    } catch (error) {
      if (failedWith(error, 'ENOENT')) return 0;
      throw storageFault(error, this.#path);
    }
  }

  async open(offset: number): Promise<number> {
    await this.close();
    this.#port.used(true);
    return this.#guard(async () => {
      const handle = await open(this.#path, appending, privateFile).catch((error: unknown) => {
        this.#port.used(false);
        throw error;
      });
      try {
        this.#begin = (await handle.stat()).size < offset ? 0 : offset;
        await handle.truncate(this.#begin);
        if (this.#begin === 0) await this.#digest.restart();
        else this.#digest.follow(this.#begin);
        if (this.#port.outlives) await syncFolder(dirname(this.#path));
      } catch (error) {
        this.#port.used(false);
        await handle.close();
        throw error;
      }
      this.#file = new QueuedFile(this.#path, handle);
      return this.#begin;
    });
  }

  get failure(): ObjectStoreError | null {
    return this.#file?.failure ?? null;
  }

  write(chunk: Buffer): boolean {
    return this.#file?.write(chunk) ?? true;
  }

  onDrain(listener: () => void): void {
    this.#file?.onDrain(listener);
  }

  get written(): number {
    return this.#begin + (this.#file?.writtenBytes ?? 0);
  }

  async drained(): Promise<void> {
    await this.#file?.drained();
  }

  sync(): Promise<number> {
    return this.#guard(async () => {
      const file = this.#file;
      if (file === null) return this.#begin;
      const offset = this.written;
      await file.sync();
      if (file.failure !== null) throw file.failure;
      this.#port.synced();
      return offset;
    });
  }

  settle(offset: number): void {
    this.#digest.follow(offset);
  }

  async close(): Promise<void> {
    const file = this.#file;
    this.#file = null;
    if (file !== null) await this.#guard(() => file.close());
    this.#port.used(false);
  }

  async finish(bytes: number, announce: Announce): Promise<ObjectRef> {
    await this.close();
    this.#port.used(true);
    try {
      const object = { contentId: await this.#guard(() => this.#digest.contentId(bytes)), bytes };
      await announce(object, await this.#port.isNew(object.contentId));
      await this.#guard(() => this.#port.place(object));
      return object;
    } finally {
      this.#port.used(false);
    }
  }

  async remove(): Promise<void> {
    await this.close();
    await this.#guard(() => rm(this.#path, { force: true }));
  }

  async #guard<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      throw storageFault(error, this.#path);
    }
  }
}
