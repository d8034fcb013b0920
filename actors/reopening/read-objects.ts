import { LRUCache } from 'lru-cache';
import type { ByteReader } from '../../contract/base/stored-object.ts';
import type { SourceFile } from '../../contract/sources/source-session.ts';
import type { FoldPorts } from '../../receipts/fold.ts';
import type { ContentFault, StoredContent, VerifiedHead } from '../../receipts/stored-records.ts';
import type { ObjectStore } from '../../storage/objects/object-store.ts';
import { ObjectStoreError, type ObjectStoreErrorCode } from '../../storage/objects/object-store-error.ts';
import { pathOf } from '../sources/source-files.ts';

const faults: Readonly<Partial<Record<ObjectStoreErrorCode, ContentFault>>> = {
  object_missing: 'missing',
  object_damaged: 'content',
  object_too_large: 'size',
};

async function faultOf<Found>(read: () => Promise<Found>): Promise<Found | ContentFault> {
  try {
    return await read();
  } catch (error) {
    const fault = error instanceof ObjectStoreError ? faults[error.code] : undefined;
    if (fault === undefined) throw error;
    return fault;
  }
}

// In bytes of the files; parsed they take several times as much. The evidence of the sample has 20 KiB.
const rememberedBytes = 4 * 1024 * 1024;

/** A value that follows from the bytes of these files alone. */
interface KnownValue {
  /** The schema by which it was parsed, or another object that stands for how it was derived. */
  readonly kind: object;
  readonly value: object;
  readonly files: readonly SourceFile[];
  /** Length of the files as far as they were parsed. */
  readonly bytes: number;
}

/**
 * The values that one process has parsed of stored files, by a content id or another name of those files. Studies of the same media
 * name the same evidence, and each would parse it again. Values are shared and must not be changed. A reader that takes one first checks
 * that its files are unchanged. A deletion clears them: what was parsed of deleted files goes as well.
 */
export type KnownValues = LRUCache<string, KnownValue>;

export const newKnownValues = (): KnownValues =>
  new LRUCache({ maxSize: rememberedBytes, sizeCalculation: ({ bytes }) => Math.max(1, bytes) });

/** The files behind one reopening. It remembers which they were, so that they can be looked at again. */
export class ReadObjects implements StoredContent {
  readonly #objectStore: ObjectStore;
  readonly #pause: FoldPorts['pause'];
  readonly #known: KnownValues | null;
  readonly #files = new Map<string, SourceFile>();
  #bytes = 0;

  /** `pause` lets others work before a file is read. Without `known` every record is read from its file. */
  constructor(objectStore: ObjectStore, pause: FoldPorts['pause'], known: KnownValues | null = null) {
    this.#objectStore = objectStore;
    this.#pause = pause;
    this.#known = known;
  }

  /** The files that were read. */
  get files(): readonly SourceFile[] {
    return [...this.#files.values()];
  }

  /** Bytes that were handed over. */
  get bytes(): number {
    return this.#bytes;
  }

  object(contentId: string, maximumBytes: number): Promise<Uint8Array | ContentFault> {
    return this.sourceFile({ contentId, bytes: 0, path: null }, maximumBytes);
  }

  async sourceFile(file: SourceFile, maximumBytes: number): Promise<Uint8Array | ContentFault> {
    const { contentId } = file;
    await this.#pause();
    return faultOf(async () => {
      const path = pathOf(this.#objectStore, file);
      const bytes = await this.#objectStore.readFile(path, contentId, maximumBytes);
      this.#files.set(path, file);
      this.#bytes += bytes.length;
      return bytes;
    });
  }

  verifiedLength(file: SourceFile): Promise<number | ContentFault> {
    return this.#verified(file, async ({ bytes }) => bytes);
  }

  verifiedHead(contentId: string, headBytes: number): Promise<VerifiedHead | ContentFault> {
    return this.#verified({ contentId, bytes: 0, path: null }, async (reader) => {
      const head = Buffer.alloc(Math.min(headBytes, reader.bytes));
      let filled = 0;
      for (let read = -1; read !== 0 && filled < head.length; filled += read) {
        read = await reader.read(head.subarray(filled), filled);
      }
      if (filled < head.length || !reader.isUnchanged()) return 'content';
      return { bytes: reader.bytes, head };
    });
  }

  known(kind: object, name: string): object | undefined {
    const known = this.#known?.get(name);
    if (known?.kind !== kind) return undefined;
    const files = known.files.map((file) => [pathOf(this.#objectStore, file), file] as const);
    if (!files.every(([path, { contentId }]) => this.#objectStore.isKnown(path, contentId))) return undefined;
    for (const [path, file] of files) this.#files.set(path, file);
    this.#bytes += known.bytes;
    return known.value;
  }

  remember(kind: object, name: string, value: object, files: readonly SourceFile[], bytes: number): void {
    this.#known?.set(name, { kind, value, files, bytes });
  }

  #verified<Found>(
    file: SourceFile,
    read: (reader: ByteReader) => Promise<Found | ContentFault>,
  ): Promise<Found | ContentFault> {
    return faultOf(async () => {
      const path = pathOf(this.#objectStore, file);
      const known = this.#objectStore.openKnown(path, file.contentId);
      const reader = known ?? (await this.#objectStore.openFile(path, file.contentId));
      if (reader === 'missing') return 'missing';
      if (reader === 'damaged') return 'content';
      this.#files.set(path, file);
      try {
        return await read(reader);
      } finally {
        reader.close();
      }
    });
  }

  /** True if every file that was read is still the same; costs one `stat` for each untouched file. */
  async isUntouched(): Promise<boolean> {
    for (const [path, { contentId }] of this.#files) {
      const pause = this.#pause();
      if (pause !== undefined) await pause;
      // Hundreds of files of one runtime are known: a look in the same turn costs less than a promise for it.
      if (this.#objectStore.isKnown(path, contentId)) continue;
      if ((await this.#objectStore.verifyFile(path, contentId)) !== 'intact') return false;
    }
    return true;
  }
}
