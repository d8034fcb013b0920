import { lstat, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fewAtOnce, KeyedMutex } from '../keyed-mutex.ts';
import type { DataRoot } from './data-root.ts';
import { kindOf, makeFoldersIn, moveDurably, syncFolder } from './durable-file.ts';
import type { ObjectRef } from './object-store.ts';
import { failedWith, ObjectStoreError, storageFault } from './object-store-error.ts';
import type { VerifiedFiles } from './verified-files.ts';

interface ObjectFilesPort {
  /** Called with the content id of a damaged object that a good one replaces. */
  onDamage(contentId: string): void;
  point(name: string): void;
  /** Milliseconds on a monotonic clock: with one that is set forward, recent objects would be removed. */
  elapsed(): number;
}

/**
 * The time that an object stays after its bytes were stored, or requested to be stored, whether a record names it or not. A step
 * that stores bytes commits the record that names them within moments.
 */
export const restMs = 15 * 60_000;

/** Bytes that are about to become an object; `stage` names a synced file that holds them, to be moved into place. */
interface Arrival {
  readonly contentId: string;
  stage(): Promise<string>;
}

/** The hex digits of a content id. Throws `invalid_name` for any other text, so that the digits are safe in a path. */
export function hexOfContentId(contentId: string): string {
  if (!/^sha256:[a-f0-9]{64}$/.test(contentId)) throw new ObjectStoreError('invalid_name', 'not a content id');
  return contentId.slice('sha256:'.length);
}

/** The objects themselves: a file's name is the SHA-256 of its bytes, and it never changes once it is in place. */
export class ObjectFiles {
  readonly #layout: Pick<DataRoot, 'objects' | 'quarantine'>;
  readonly #files: VerifiedFiles;
  readonly #port: ObjectFilesPort;
  readonly #mutex = new KeyedMutex();
  readonly #shards = new Set<string>();
  readonly #arriving = new Map<string, number>();
  readonly #placing = new Set<Promise<unknown>>();
  // In the order of the times, the oldest first.
  readonly #arrived = new Map<string, number>();

  constructor(layout: Pick<DataRoot, 'objects' | 'quarantine'>, files: VerifiedFiles, port: ObjectFilesPort) {
    this.#layout = layout;
    this.#files = files;
    this.#port = port;
  }

  locate(contentId: string): string {
    const hex = hexOfContentId(contentId);
    return join(this.#layout.objects, hex.slice(0, 2), hex);
  }

  /**
   * Puts objects in place unless they are there intact, a few at once, and syncs each of their folders once. Resolves with the
   * content ids of those that were not there; a damaged one was quarantined first.
   */
  async place(arrivals: readonly Arrival[]): Promise<string[]> {
    const placing = this.#placeAll(arrivals);
    this.#placing.add(placing);
    try {
      return await placing;
    } finally {
      this.#placing.delete(placing);
    }
  }

  /** Resolves when no object is on its way to its place. */
  async settled(): Promise<void> {
    while (this.#placing.size > 0) await Promise.allSettled(this.#placing);
  }

  async #placeAll(arrivals: readonly Arrival[]): Promise<string[]> {
    for (const { contentId } of arrivals) this.#arriving.set(contentId, (this.#arriving.get(contentId) ?? 0) + 1);
    try {
      const folders = [...new Set(arrivals.map(({ contentId }) => dirname(this.locate(contentId))))];
      // Bytes are staged meanwhile. A caller that needs the folders waits for them, and fails with them.
      const made = this.#makeShards(folders);
      made.catch(() => undefined);
      const placed: string[] = [];
      await fewAtOnce(arrivals, async (arrival) => {
        const isNew = await this.#mutex.take(arrival.contentId, () => this.#place(arrival, made));
        if (isNew) placed.push(arrival.contentId);
      });
      await made;
      // Also for what was there: an earlier process may have ended between its rename and its sync.
      await fewAtOnce(folders, syncFolder);
      return placed;
    } finally {
      // Before they leave: at no time is one of them neither on its way nor here lately.
      for (const { contentId } of arrivals) this.#noteArrival(contentId);
      for (const { contentId } of arrivals) this.#leave(contentId);
    }
  }

  /**
   * Deletes an object unless the same bytes are arriving; returns true if it did. Bytes that come later wait for the deletion and
   * are stored again. A folder in its place goes to the quarantine. Damaged files of the object in the quarantine go as well: they
   * hold most of what it held. Freeing gigabytes takes a file system a while, so it happens on another thread.
   */
  async discard(contentId: string): Promise<boolean> {
    if (this.#arriving.has(contentId)) return false;
    await this.#mutex.take(contentId, async () => {
      const path = this.locate(contentId);
      await this.#dropSetAside(hexOfContentId(contentId));
      // No host makes a folder of this name, so what is in it may be someone's.
      if ((await kindOf(path)) === 'folder') await this.#setAside(contentId);
      else await rm(path, { force: true });
    });
    return true;
  }

  /** True if the bytes of an object are being stored, or were within the last `restMs`. */
  isRecent(contentId: string): boolean {
    const arrivedAt = this.#arrived.get(contentId);
    return this.#arriving.has(contentId) || (arrivedAt !== undefined && this.#port.elapsed() - arrivedAt < restMs);
  }

  #noteArrival(contentId: string): void {
    const now = this.#port.elapsed();
    this.#arrived.delete(contentId);
    this.#arrived.set(contentId, now);
    for (const [oldest, arrivedAt] of this.#arrived) {
      if (now - arrivedAt < restMs) return;
      this.#arrived.delete(oldest);
    }
  }

  /** Moves an object to the quarantine, durably; returns its new path, or null if there was none. */
  quarantine(contentId: string): Promise<string | null> {
    return this.#mutex.take(contentId, () => this.#setAside(contentId));
  }

  async #place({ contentId, stage }: Arrival, folderMade: Promise<void>): Promise<boolean> {
    const path = this.locate(contentId);
    const state = await this.#files.verify(path, contentId);
    if (state === 'intact') return false;
    const staged = await stage();
    try {
      await folderMade;
      if (state === 'damaged') {
        await this.#setAside(contentId);
        this.#port.onDamage(contentId);
      }
      await rename(staged, path);
    } catch (error) {
      await rm(staged, { force: true });
      throw error;
    }
    this.#port.point('object-store:renamed');
    this.#files.trust(path, contentId);
    return true;
  }

  #leave(contentId: string): void {
    const others = (this.#arriving.get(contentId) ?? 1) - 1;
    if (others === 0) this.#arriving.delete(contentId);
    else this.#arriving.set(contentId, others);
  }

  async #dropSetAside(hex: string): Promise<void> {
    for (const name of await readdir(this.#layout.quarantine)) {
      const path = join(this.#layout.quarantine, name);
      if (name.startsWith(`${hex}.`) && (await kindOf(path)) === 'file') await rm(path, { force: true });
    }
  }

  async #setAside(contentId: string): Promise<string | null> {
    const place = await this.#freePlace(hexOfContentId(contentId));
    try {
      await moveDurably(this.locate(contentId), place);
    } catch (error) {
      if (failedWith(error, 'ENOENT')) return null;
      throw error;
    }
    this.#port.point('object-store:quarantined');
    return place;
  }

  // An earlier file of the same name in the quarantine is kept.
  async #freePlace(hex: string): Promise<string> {
    for (let number = 1; ; number += 1) {
      const place = join(this.#layout.quarantine, `${hex}.${number}`);
      try {
        await lstat(place);
      } catch (error) {
        if (failedWith(error, 'ENOENT')) return place;
        throw error;
      }
    }
  }

  async #makeShards(folders: readonly string[]): Promise<void> {
    const lacking = folders.filter((folder) => !this.#shards.has(folder));
    if (lacking.length === 0) return;
    await makeFoldersIn(this.#layout.objects, lacking);
    for (const folder of lacking) this.#shards.add(folder);
  }
}

/**
 * The objects in a folder of objects, in the order of their names, without reading their bytes. An entry that is not a file also
 * counts, so that it is verified and found damaged. Throws `storage_fault`.
 */
export async function* objectsIn(objects: string): AsyncGenerator<ObjectRef> {
  try {
    for (const shard of (await readdir(objects)).sort()) {
      if (!/^[0-9a-f]{2}$/.test(shard)) continue;
      for (const name of (await readdir(join(objects, shard))).sort()) {
        const bytes = /^[0-9a-f]{64}$/.test(name) ? await objectBytesAt(join(objects, shard, name)) : null;
        if (bytes !== null) yield { contentId: `sha256:${name}`, bytes };
      }
    }
  } catch (error) {
    throw storageFault(error, objects);
  }
}

/** Length of a file; null if it is gone. Any other entry, such as a link or a pipe, has no bytes of its object. */
export async function objectBytesAt(path: string): Promise<number | null> {
  try {
    const found = await lstat(path);
    return found.isFile() ? found.size : 0;
  } catch (error) {
    if (failedWith(error, 'ENOENT')) return null;
    throw error;
  }
}
