import { LRUCache } from 'lru-cache';
import { contentIdOfBytes } from '../../formats/canonical-json.ts';
import { ObjectStoreError, storageFault } from './object-store-error.ts';
import { hashFile, identityNow, openNow, openRegular, type RegularFile } from './regular-file.ts';

// About 250 bytes each.
const rememberedFiles = 16384;

/** The result of a check of a file; a link or any other irregular entry is `damaged`. */
export type FileState = 'intact' | 'missing' | 'damaged';

/** How a file is verified. */
export interface Verification {
  /** Hashes whatever is known. */
  readonly always?: boolean;
  /** Called with the number of hashed bytes; never if no hashing is needed, or another reader has begun to. */
  readonly hashed?: (bytes: number) => void;
}

interface Hashing {
  readonly file: RegularFile;
  readonly hashed: Verification['hashed'];
}

/** Compares files with their content ids, and hashes a file again only when its identity changed. */
export class VerifiedFiles {
  /** By the identity of a file. Others who ask for the same bytes while they are hashed wait for that answer. */
  readonly #contentIds = new LRUCache<string, string, Hashing>({
    max: rememberedFiles,
    ignoreFetchAbort: true,
    fetchMethod: (_identity, _known, { context: { file, hashed } }) => this.#hash(file, hashed),
  });
  readonly #onHash: () => void;

  constructor(onHash: () => void) {
    this.#onHash = onHash;
  }

  /** Throws `storage_fault` when the file cannot be read. */
  async verify(path: string, contentId: string, how: Verification = {}): Promise<FileState> {
    // One look is enough for a file that is not there, and for one whose bytes are known; opening it would cost several.
    const identity = how.always === true ? null : identityNow(path);
    if (identity === undefined) return 'missing';
    if (identity !== null && this.#contentIds.get(identity) === contentId) return 'intact';
    const file = await this.open(path, contentId, how);
    if (file === 'missing' || file === 'damaged') return file;
    file.close();
    return 'intact';
  }

  /** As `verify`, but an intact file comes opened: by the descriptor that was verified. The caller closes it. */
  async open(
    path: string,
    contentId: string,
    how: Verification = {},
  ): Promise<RegularFile | Exclude<FileState, 'intact'>> {
    const file = await openRegular(path);
    if (file === 'missing') return 'missing';
    if (file === 'irregular') return 'damaged';
    let isIntact = false;
    try {
      const { always = false, hashed } = how;
      const { identity } = file;
      const context = { file, hashed };
      const found = always ? this.#hash(file, hashed) : this.#contentIds.forceFetch(identity, { context });
      isIntact = (await found) === contentId;
    } catch (error) {
      throw storageFault(error, path);
    } finally {
      if (!isIntact) file.close();
    }
    return isIntact ? file : 'damaged';
  }

  /** All bytes of a file, hashed. Rejects as `readVerified`. */
  read(path: string, contentId: string, maximumBytes: number): Promise<Buffer> {
    return readVerified(path, contentId, maximumBytes, (file) => {
      if (this.#contentIds.get(file.identity) === contentId) return;
      this.#onHash();
      // A file that changed while it was read proves nothing about what it is now.
      if (file.isUnchanged()) this.#contentIds.set(file.identity, contentId);
    });
  }

  /**
   * True if a file is as it was when it was hashed, answered in the same turn: for files that are checked again and again. False
   * only means that it has to be verified.
   */
  isKnown(path: string, contentId: string): boolean {
    const identity = identityNow(path);
    return identity != null && this.#contentIds.get(identity) === contentId;
  }

  /** The same, with the file opened; null says only that it has to be verified. The caller closes it. */
  openKnown(path: string, contentId: string): RegularFile | null {
    const file = openNow(path);
    if (file === null || this.#contentIds.get(file.identity) === contentId) return file;
    file.close();
    return null;
  }

  /** Remembers a file whose bytes were hashed while this process wrote them, and which it has just put in its place. */
  trust(path: string, contentId: string): void {
    const identity = identityNow(path);
    if (identity != null) this.#contentIds.set(identity, contentId);
  }

  async #hash(file: RegularFile, hashed: Verification['hashed']): Promise<string> {
    const hashing = hashFile(file, hashed);
    this.#onHash();
    const found = await hashing;
    // A file that changed while it was read proves nothing about what it is now.
    if (file.isUnchanged()) this.#contentIds.set(file.identity, found);
    else this.#contentIds.delete(file.identity);
    return found;
  }
}

/**
 * All bytes of a file that has this content id, hashed. Throws `object_missing`, `object_damaged`, or `object_too_large` before
 * it reads. `onIntact` is given the file, still open, when its bytes are those of its name.
 */
export async function readVerified(
  path: string,
  contentId: string,
  maximumBytes: number,
  onIntact: (file: RegularFile) => void = () => undefined,
): Promise<Buffer> {
  const file = await openRegular(path);
  if (file === 'missing') throw new ObjectStoreError('object_missing', contentId);
  if (file === 'irregular') throw new ObjectStoreError('object_damaged', contentId);
  try {
    if (file.bytes > maximumBytes) {
      throw new ObjectStoreError('object_too_large', `${contentId} has ${file.bytes} bytes`);
    }
    const bytes = await file.readAll();
    if (contentIdOfBytes(bytes) !== contentId) throw new ObjectStoreError('object_damaged', contentId);
    onIntact(file);
    return bytes;
  } finally {
    file.close();
  }
}
