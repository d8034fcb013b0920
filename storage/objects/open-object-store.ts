import { rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { ByteReader } from '../../contract/base/byte-reader.ts';
import type { StoredObject } from '../../contract/base/stored-object.ts';
import { prepareDataRoot } from './data-root.ts';
import type { DataRoot } from './data-root-layout.ts';
import { hashSynced, writeSyncedFile } from './durable-file.ts';
import { InboxFile } from './inbox.ts';
import { isUploadName, type Leftovers, leftoversOf, partNameOf } from './leftovers.ts';
import { objectsIn } from './listed-objects.ts';
import { hexOf, ObjectFiles } from './object-files.ts';
import type { ObjectRef, ObjectStore, PartialFile, Receiving } from './object-store.ts';
import { ObjectStoreError, storageFault } from './object-store-error.ts';
import { PartFile } from './part-file.ts';
import { contentIdOf } from './read-verified.ts';
import { type Stray, sizeOf, straysIn } from './strays.ts';
import { type FileState, type Verification, VerifiedFiles } from './verified-files.ts';

export interface ObjectStoreOptions {
  readonly root: string;
  /** Told when a damaged object was quarantined because good bytes of it came in. */
  readonly onDamage?: (contentId: string) => void;
  /** Milliseconds by which an object counts as stored lately, on a clock that nobody sets; those of the process where none is given. */
  readonly elapsed?: () => number;
  /** Told by name how far a file has come, and of each hashing of a file. */
  readonly points?: (name: string) => void;
}

class FileObjectStore implements ObjectStore {
  readonly #layout: DataRoot;
  readonly #files: VerifiedFiles;
  readonly #objects: ObjectFiles;
  readonly #point: (name: string) => void;
  #staged = 0;

  constructor(layout: DataRoot, options: ObjectStoreOptions) {
    this.#layout = layout;
    this.#point = (name) => options.points?.(name);
    this.#files = new VerifiedFiles(() => this.#point('object-store:hashed'));
    this.#objects = new ObjectFiles(layout, this.#files, {
      onDamage: (contentId) => options.onDamage?.(contentId),
      point: this.#point,
      elapsed: options.elapsed ?? (() => performance.now()),
    });
  }

  async receive(name: string, declaredBytes: number): Promise<Receiving> {
    if (!isUploadName(name)) throw new ObjectStoreError('invalid_name', 'not a name for the inbox');
    const file = await InboxFile.create(join(this.#layout.inbox, name), declaredBytes);
    let finishing: ReturnType<Receiving['finish']> | null = null;
    return {
      write: (chunk) => file.write(chunk),
      onDrain: (listener) => file.onDrain(listener),
      get failure() {
        return file.failure;
      },
      finish: () => {
        finishing ??= this.#finish(file);
        return finishing;
      },
      discard: async () => {
        if (finishing === null) await this.#guard(file.path, () => file.remove());
        else await finishing.catch(() => {});
      },
    };
  }

  partial(name: string): PartialFile {
    if (!isUploadName(name)) throw new ObjectStoreError('invalid_name', 'not a name for the inbox');
    const path = join(this.#layout.inbox, partNameOf(name));
    return new PartFile(path, (object) => this.#placeFile(path, object, 'object-store:stored'));
  }

  async import(path: string, announce: (object: ObjectRef) => Promise<void>): Promise<ObjectRef> {
    const object = await this.#guard(path, () => hashSynced(path));
    await announce(object);
    await this.#guard(path, () => this.#placeFile(path, object, 'object-store:imported'));
    return object;
  }

  async put(bytes: Uint8Array): Promise<string> {
    const contentId = contentIdOf(bytes);
    await this.#store([{ contentId, bytes }]);
    return contentId;
  }

  async putAll(objects: readonly StoredObject[]): Promise<void> {
    const wrong = objects.find(({ contentId, bytes }) => contentIdOf(bytes) !== contentId);
    if (wrong !== undefined) throw new ObjectStoreError('object_damaged', `bytes to store are not ${wrong.contentId}`);
    await this.#store(objects);
  }

  verify(contentId: string, how?: Verification): Promise<FileState> {
    return this.verifyFile(this.locate(contentId), contentId, how);
  }

  verifyFile(path: string, contentId: string, how?: Verification): Promise<FileState> {
    return this.#files.verify(path, contentId, how);
  }

  openFile(path: string, contentId: string): Promise<ByteReader | 'missing' | 'damaged'> {
    return this.#files.open(path, contentId);
  }

  isKnown(path: string, contentId: string): boolean {
    return this.#files.isKnown(path, contentId);
  }

  openKnown(path: string, contentId: string): ByteReader | null {
    return this.#files.openKnown(path, contentId);
  }

  read(contentId: string, maximumBytes: number): Promise<Buffer> {
    return this.readFile(this.locate(contentId), contentId, maximumBytes);
  }

  readFile(path: string, contentId: string, maximumBytes: number): Promise<Buffer> {
    return this.#files.read(path, contentId, maximumBytes);
  }

  locate(contentId: string): string {
    return this.#objects.locate(contentId);
  }

  quarantine(contentId: string): Promise<string | null> {
    return this.#guard(contentId, () => this.#objects.quarantine(contentId));
  }

  discard(contentId: string): Promise<boolean> {
    return this.#guard(contentId, () => this.#objects.discard(contentId));
  }

  isRecent(contentId: string): boolean {
    return this.#objects.isRecent(contentId);
  }

  list(): AsyncIterable<ObjectRef> {
    return objectsIn(this.#layout.objects);
  }

  strays(): Promise<Stray[]> {
    return this.#guard(this.#layout.root, () => straysIn(this.#layout));
  }

  removeStray(stray: Stray): Promise<void> {
    return this.#guard(stray.name, () => rm(join(this.#layout.root, stray.name), { recursive: true, force: true }));
  }

  ledgerSize(): Promise<{ readonly files: number; readonly bytes: number }> {
    return this.#guard(this.#layout.ledger, async () => {
      const { files, bytes } = await sizeOf(this.#layout.ledger);
      return { files, bytes };
    });
  }

  sweep(kept?: ReadonlySet<string>): Promise<Leftovers> {
    return this.#guard(this.#layout.root, async () => {
      const leftovers = await leftoversOf(this.#layout, kept);
      for (const name of leftovers.made) await rm(join(this.#layout.root, name), { recursive: true, force: true });
      return leftovers;
    });
  }

  freeBytes(): Promise<number> {
    return this.#guard(this.#layout.root, async () => {
      const { bavail, bsize } = await statfs(this.#layout.root);
      return bavail * bsize;
    });
  }

  async #finish(file: InboxFile): Promise<ObjectRef> {
    try {
      await file.drained();
      this.#point('object-store:received');
      const sealed = await file.seal();
      this.#point('object-store:synced');
      const placed = await this.#objects.place([{ contentId: sealed.contentId, stage: async () => file.path }]);
      if (placed.length === 0) await file.remove();
      this.#point('object-store:stored');
      return sealed;
    } catch (error) {
      // The first failure is the one to tell; what cannot be removed now is swept at the next start.
      await file.remove().catch(() => {});
      throw storageFault(error, file.path);
    }
  }

  async #placeFile(path: string, { contentId }: ObjectRef, point: string): Promise<void> {
    const placed = await this.#objects.place([{ contentId, stage: async () => path }]);
    if (placed.length === 0) await rm(path, { force: true });
    this.#point(point);
  }

  #store(objects: readonly StoredObject[]): Promise<void> {
    return this.#guard(this.#layout.objects, async () => {
      await this.#objects.place(
        objects.map(({ contentId, bytes }) => ({ contentId, stage: () => this.#stage(contentId, bytes) })),
      );
      this.#point('object-store:put');
    });
  }

  async #stage(contentId: string, bytes: Uint8Array): Promise<string> {
    this.#staged += 1;
    // The full stop keeps these names apart from those of files that are received.
    const path = join(this.#layout.inbox, `${hexOf(contentId)}.${this.#staged}`);
    try {
      await writeSyncedFile(path, bytes);
    } catch (error) {
      await rm(path, { force: true });
      throw error;
    }
    this.#point('object-store:staged');
    return path;
  }

  async #guard<Result>(what: string, work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      throw storageFault(error, what);
    }
  }
}

/** Prepares the data root and opens its object store. Rejects as `prepareDataRoot`. */
export async function openObjectStore(options: ObjectStoreOptions): Promise<ObjectStore> {
  return new FileObjectStore(await prepareDataRoot(options.root), options);
}
