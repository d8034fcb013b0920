import { createHash } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { privateFile } from './durable-file.ts';
import { failedWith, ObjectStoreError, storageFault } from './object-store-error.ts';
import { QueuedFile } from './queued-file.ts';

/** A file in the inbox that grows while its bytes are hashed. It fails once, and from then on takes and drops bytes. */
export class InboxFile {
  readonly #file: QueuedFile;
  readonly #declaredBytes: number;
  readonly #hash = createHash('sha256');
  #receivedBytes = 0;

  private constructor(file: QueuedFile, declaredBytes: number) {
    this.#file = file;
    this.#declaredBytes = declaredBytes;
  }

  /** Throws `invalid_name` when the file exists, `storage_fault` when it cannot be made. */
  static async create(path: string, declaredBytes: number): Promise<InboxFile> {
    try {
      return new InboxFile(new QueuedFile(path, await open(path, 'wx', privateFile)), declaredBytes);
    } catch (error) {
      if (failedWith(error, 'EEXIST')) throw new ObjectStoreError('invalid_name', `${path} is being received`, error);
      throw storageFault(error, path);
    }
  }

  get path(): string {
    return this.#file.path;
  }

  get failure(): ObjectStoreError | null {
    return this.#file.failure;
  }

  /** Takes a chunk; false asks to wait for the drain, which comes once. */
  write(chunk: Buffer): boolean {
    if (!this.#file.isOpen) return true;
    this.#receivedBytes += chunk.length;
    if (this.#receivedBytes > this.#declaredBytes) {
      this.#file.fail(new ObjectStoreError('upload_too_long', `more than the declared ${this.#declaredBytes} bytes`));
      return true;
    }
    this.#hash.update(chunk);
    return this.#file.write(chunk);
  }

  onDrain(listener: () => void): void {
    this.#file.onDrain(listener);
  }

  /** Waits until everything is written. Throws `upload_too_long`, `upload_too_short` or `storage_fault`. */
  async drained(): Promise<void> {
    await this.#file.drained();
    if (this.#receivedBytes < this.#declaredBytes) {
      const counted = `${this.#receivedBytes} of ${this.#declaredBytes} bytes`;
      this.#file.fail(new ObjectStoreError('upload_too_short', counted));
    }
    await this.#file.drained();
  }

  /** Puts the bytes on the disk, closes the file, and says what it is. */
  async seal(): Promise<{ contentId: string; bytes: number }> {
    await this.#file.sync();
    await this.close();
    return { contentId: `sha256:${this.#hash.digest('hex')}`, bytes: this.#receivedBytes };
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  /** Closes and deletes the file. */
  async remove(): Promise<void> {
    await this.close();
    await rm(this.path, { force: true });
  }
}
