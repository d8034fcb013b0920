import { createHash, type Hash } from 'node:crypto';
import { open } from 'node:fs/promises';

const readBytes = 1024 * 1024;

/**
 * The digest of a file that grows: it reads the bytes from the file, behind those that write them. So it stands at the same
 * place whether the process that wrote them is this one or one before it.
 */
export class FollowingDigest {
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

  /** Stops reading and begins anew: the file does so too. */
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
