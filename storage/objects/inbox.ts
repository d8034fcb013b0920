import { createHash } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { privateFile } from './durable-file.ts';
import { failedWith, ObjectStoreError, storageFault } from './object-store-error.ts';

// Bytes that may wait for the disk before the sender is asked to pause.
const highWaterBytes = 4 * 1024 * 1024;

/** A file in the inbox that grows while its bytes are hashed. It fails once, and from then on takes and drops bytes. */
export class InboxFile {
  readonly path: string;
  readonly #handle: FileHandle;
  readonly #declaredBytes: number;
  readonly #hash = createHash('sha256');
  #queue: Buffer[] = [];
  #queuedBytes = 0;
  #receivedBytes = 0;
  #failure: ObjectStoreError | null = null;
  #writing: Promise<void> | null = null;
  #onDrain: () => void = () => {};
  #paused = false;
  #closed = false;

  private constructor(path: string, handle: FileHandle, declaredBytes: number) {
    this.path = path;
    this.#handle = handle;
    this.#declaredBytes = declaredBytes;
  }

  /** Throws `invalid_name` when the file exists, `storage_fault` when it cannot be made. */
  static async create(path: string, declaredBytes: number): Promise<InboxFile> {
    try {
      return new InboxFile(path, await open(path, 'wx', privateFile), declaredBytes);
    } catch (error) {
      if (failedWith(error, 'EEXIST')) throw new ObjectStoreError('invalid_name', `${path} is being received`, error);
      throw storageFault(error, path);
    }
  }

  get failure(): ObjectStoreError | null {
    return this.#failure;
  }

  /** Takes a chunk; false asks to wait for the drain, which comes once. */
  write(chunk: Buffer): boolean {
    if (this.#closed || this.#failure !== null) return true;
    this.#receivedBytes += chunk.length;
    if (this.#receivedBytes > this.#declaredBytes) {
      this.#fail(new ObjectStoreError('upload_too_long', `more than the declared ${this.#declaredBytes} bytes`));
      return true;
    }
    this.#hash.update(chunk);
    this.#queue.push(chunk);
    this.#queuedBytes += chunk.length;
    this.#writing ??= this.#writeQueue();
    this.#paused = this.#queuedBytes >= highWaterBytes;
    return !this.#paused;
  }

  onDrain(listener: () => void): void {
    this.#onDrain = listener;
  }

  /** Waits until everything is written. Throws `upload_too_long`, `upload_too_short` or `storage_fault`. */
  async drained(): Promise<void> {
    await this.#writing;
    if (this.#failure === null && this.#receivedBytes < this.#declaredBytes) {
      this.#fail(new ObjectStoreError('upload_too_short', `${this.#receivedBytes} of ${this.#declaredBytes} bytes`));
    }
    if (this.#failure !== null) throw this.#failure;
  }

  /** Puts the bytes on the disk, closes the file, and says what it is. */
  async seal(): Promise<{ contentId: string; bytes: number }> {
    await this.#handle.sync();
    await this.close();
    return { contentId: `sha256:${this.#hash.digest('hex')}`, bytes: this.#receivedBytes };
  }

  async close(): Promise<void> {
    await this.#writing;
    if (this.#closed) return;
    this.#closed = true;
    await this.#handle.close();
  }

  /** Closes and deletes the file. */
  async remove(): Promise<void> {
    await this.close();
    await rm(this.path, { force: true });
  }

  async #writeQueue(): Promise<void> {
    try {
      while (this.#queue.length > 0) {
        const chunks = this.#queue;
        const bytes = this.#queuedBytes;
        this.#queue = [];
        await writeWhole(this.#handle, chunks, bytes);
        if (this.#failure !== null) return;
        this.#queuedBytes -= bytes;
        if (this.#queuedBytes < highWaterBytes) this.#drain();
      }
    } catch (error) {
      this.#fail(storageFault(error, this.path));
    } finally {
      this.#writing = null;
    }
  }

  #fail(failure: ObjectStoreError): void {
    this.#failure ??= failure;
    this.#queue = [];
    this.#drain();
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
