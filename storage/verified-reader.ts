import type { ByteReader } from '../contract/byte-reader.ts';
import { identityOf, type RegularFile } from './regular-file.ts';
import { storageFault } from './vault-error.ts';

/** Reads a verified file through the descriptor that it was verified by. Fails with `storage_fault`. */
export class VerifiedReader implements ByteReader {
  readonly bytes: number;
  readonly #file: RegularFile;
  readonly #contentId: string;
  #closed: Promise<void> | null = null;

  constructor(file: RegularFile, contentId: string) {
    this.bytes = file.bytes;
    this.#file = file;
    this.#contentId = contentId;
  }

  async read(target: Uint8Array, position: number): Promise<number> {
    try {
      return (await this.#file.handle.read(target, 0, target.byteLength, position)).bytesRead;
    } catch (error) {
      throw storageFault(error, this.#contentId);
    }
  }

  isUnchanged(): boolean {
    try {
      return identityOf(this.#file.handle) === this.#file.identity;
    } catch (error) {
      throw storageFault(error, this.#contentId);
    }
  }

  close(): Promise<void> {
    this.#closed ??= this.#file.handle.close();
    return this.#closed;
  }
}
