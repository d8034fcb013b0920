import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { StoredObject } from '../../contract/base/stored-object.ts';
import { dataRootAt } from './data-root-layout.ts';
import { hashSynced, makeFolder, writeSyncedFile } from './durable-file.ts';
import { ObjectFiles } from './object-files.ts';
import { sourceFault } from './object-source-fault.ts';
import { failedWith, ObjectStoreError } from './object-store-error.ts';
import { contentIdOf, readVerified } from './read-verified.ts';
import { type FileState, VerifiedFiles } from './verified-files.ts';

/**
 * Content-addressed files of a folder that several machines reach, such as a network file system: a host puts inputs there,
 * workers put results. Nobody trusts it: whoever reads hashes. It fails with `ObjectSourceFault`, and with `ObjectStoreError` of
 * single objects; it goes on where somebody has emptied the folder.
 */
export class SharedObjects {
  readonly root: string;
  readonly #files = new VerifiedFiles(() => undefined);
  #objects: ObjectFiles;

  constructor(root: string) {
    this.root = root;
    this.#objects = this.#opened();
  }

  /** The absolute path of an object, whether it exists or not. */
  locate(contentId: string): string {
    return this.#objects.locate(contentId);
  }

  /** An object whose file did not change since this process last hashed it is not hashed again. */
  verify(contentId: string): Promise<FileState> {
    return this.#guarded(() => this.#files.verify(this.locate(contentId), contentId));
  }

  /** Stores bytes; `object_damaged` when bytes and content id differ, and then none is stored. */
  async putAll(objects: readonly StoredObject[]): Promise<void> {
    const wrong = objects.find(({ contentId, bytes }) => contentIdOf(bytes) !== contentId);
    if (wrong !== undefined) throw new ObjectStoreError('object_damaged', `bytes to store are not ${wrong.contentId}`);
    await this.#guarded(() =>
      this.#objects.place(
        objects.map(({ contentId, bytes }) => ({
          contentId,
          stage: () => this.#staged((path) => writeSyncedFile(path, bytes)),
        })),
      ),
    );
  }

  /** Copies a file in, unless the object is there; `object_damaged` where the copy has other bytes. */
  async copyIn(from: string, contentId: string): Promise<void> {
    await this.#guarded(() =>
      this.#objects.place([
        {
          contentId,
          stage: () =>
            this.#staged(async (path) => {
              await copyFile(from, path, constants.COPYFILE_FICLONE);
              const copied = await hashSynced(path);
              if (copied.contentId !== contentId)
                throw new ObjectStoreError('object_damaged', `the copy of ${contentId}`);
            }),
        },
      ]),
    );
  }

  /** All bytes of an object, hashed. `object_missing`, `object_damaged`, or `object_too_large` before reading. */
  read(contentId: string, maximumBytes: number): Promise<Buffer> {
    return this.#guarded(() => readVerified(this.locate(contentId), contentId, maximumBytes));
  }

  /** Makes a file under a name that no other machine gives, and removes it where it does not become whole. */
  async #staged(write: (path: string) => Promise<void>): Promise<string> {
    const { inbox } = dataRootAt(this.root);
    await makeFolder(inbox);
    const path = join(inbox, randomUUID());
    try {
      await write(path);
      return path;
    } catch (error) {
      await rm(path, { force: true }).catch(() => undefined);
      throw error;
    }
  }

  #opened(): ObjectFiles {
    return new ObjectFiles(dataRootAt(this.root), this.#files, {
      onDamage: () => undefined,
      point: () => undefined,
      now: () => Date.now(),
    });
  }

  async #guarded<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      // What it had made of folders may be gone: the next attempt makes them anew.
      if (failedWith(error, 'ENOENT')) this.#objects = this.#opened();
      throw sourceFault(error, this.root);
    }
  }
}
