import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { ObjectRef } from './object-store.ts';
import { failedWith, storageFault } from './object-store-error.ts';

/**
 * The objects in a folder of objects, in the order of their names, without a look at their bytes; also names that something else
 * than a file has, so that they are verified and found damaged. Throws `storage_fault`.
 */
export async function* objectsIn(objects: string): AsyncGenerator<ObjectRef> {
  try {
    for (const shard of (await readdir(objects)).sort()) {
      if (!/^[0-9a-f]{2}$/.test(shard)) continue;
      for (const name of (await readdir(join(objects, shard))).sort()) {
        const bytes = /^[0-9a-f]{64}$/.test(name) ? await lengthOf(join(objects, shard, name)) : null;
        if (bytes !== null) yield { contentId: `sha256:${name}`, bytes };
      }
    }
  } catch (error) {
    throw storageFault(error, objects);
  }
}

/** Length of a file; null where it is gone. What is no file, such as a link or a pipe, has no bytes of the object that it stands for. */
export async function lengthOf(path: string): Promise<number | null> {
  try {
    const found = await lstat(path);
    return found.isFile() ? found.size : 0;
  } catch (error) {
    if (failedWith(error, 'ENOENT')) return null;
    throw error;
  }
}
