import type { FileHandle } from 'node:fs/promises';
import { type ObjectStoreError, storageFault } from './object-store-error.ts';

// Bytes that may wait for the disk before the sender is asked to pause.
const highWaterBytes = 4 * 1024 * 1024;

/** An open file that takes chunks at its end and writes them in order. It fails once, and from then on takes and drops them. */
export class QueuedFile {
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

  /** Whether chunks are still taken. */
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
