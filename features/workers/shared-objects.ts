import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { StoredObject } from '../../contract/base/stored-object.ts';
import { contentIdOfBytes } from '../../formats/canonical-json.ts';
import { dataRootAt } from '../../storage/objects/data-root.ts';
import { makeFolder, privateFile } from '../../storage/objects/durable-file.ts';
import { hexOfContentId } from '../../storage/objects/object-files.ts';
import { ObjectStoreError } from '../../storage/objects/object-store-error.ts';
import { type FileState, readVerified, VerifiedFiles } from '../../storage/objects/verified-files.ts';

/** The folder that host and workers share could not be used. `message` names the folder and the cause. */
export class ObjectSourceFault extends Error {
  constructor(folder: string, cause: unknown) {
    super(`the object source ${folder} cannot be used (${wordOf(cause)})`, { cause });
    this.name = 'ObjectSourceFault';
  }
}

const ofObjects: readonly string[] = ['object_missing', 'object_damaged', 'object_too_large'];

/** An error about a single object stays as it is; anything else is a fault of the folder. */
export function sourceFault(error: unknown, folder: string): ObjectStoreError | ObjectSourceFault {
  if (error instanceof ObjectSourceFault) return error;
  if (error instanceof ObjectStoreError && ofObjects.includes(error.code)) return error;
  return new ObjectSourceFault(folder, error);
}

function wordOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof ObjectStoreError && error.cause !== undefined) return wordOf(error.cause);
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}

/**
 * Content-addressed files of a folder that several machines reach, such as a network file system: a host puts inputs there,
 * workers put results. It is not trusted: every read is hashed. It is a cache, and synced nowhere: what a loss of power takes is
 * put there again. It fails with `ObjectSourceFault`, and with `ObjectStoreError` of single objects.
 */
export class SharedObjects {
  readonly #root: string;
  readonly #files = new VerifiedFiles(() => undefined);

  constructor(root: string) {
    this.#root = root;
  }

  /** The absolute path of an object, whether it exists or not. */
  locate(contentId: string): string {
    const hex = hexOfContentId(contentId);
    return join(dataRootAt(this.#root).objects, hex.slice(0, 2), hex);
  }

  /** An object whose file did not change since this process last hashed it is not hashed again. */
  verify(contentId: string): Promise<FileState> {
    return this.#guarded(() => this.#files.verify(this.locate(contentId), contentId));
  }

  /** Stores bytes; `object_damaged` when bytes and content id differ, and then none is stored. */
  async putAll(objects: readonly StoredObject[]): Promise<void> {
    const wrong = objects.find(({ contentId, bytes }) => contentIdOfBytes(bytes) !== contentId);
    if (wrong !== undefined) throw new ObjectStoreError('object_damaged', `bytes to store are not ${wrong.contentId}`);
    for (const { contentId, bytes } of objects) {
      await this.#place(contentId, (path) => writeFile(path, bytes, { flag: 'wx', mode: privateFile }));
    }
  }

  /** Copies a file in, unless the object is there; `object_damaged` where the copy has other bytes. */
  copyIn(from: string, contentId: string): Promise<void> {
    return this.#place(contentId, async (path) => {
      await copyFile(from, path, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
      const state = await this.#files.verify(path, contentId);
      if (state !== 'intact') throw new ObjectStoreError('object_damaged', `the copy of ${contentId}`);
    });
  }

  /** All bytes of an object, hashed. `object_missing`, `object_damaged`, or `object_too_large` before reading. */
  read(contentId: string, maximumBytes: number): Promise<Buffer> {
    return this.#guarded(() => readVerified(this.locate(contentId), contentId, maximumBytes));
  }

  /** Puts an object in place unless it is there intact; one that is damaged is replaced. */
  #place(contentId: string, write: (path: string) => Promise<void>): Promise<void> {
    return this.#guarded(async () => {
      const target = this.locate(contentId);
      if ((await this.#files.verify(target, contentId)) === 'intact') return;
      const { inbox } = dataRootAt(this.#root);
      await makeFolder(inbox);
      await makeFolder(dirname(target));
      // A name that no other machine gives.
      const path = join(inbox, randomUUID());
      try {
        await write(path);
        await rename(path, target);
      } catch (error) {
        await rm(path, { force: true }).catch(() => undefined);
        throw error;
      }
      await this.#files.trust(target, contentId);
    });
  }

  async #guarded<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      throw sourceFault(error, this.#root);
    }
  }
}
