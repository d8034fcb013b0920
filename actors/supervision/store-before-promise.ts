import type { StoredObject } from '../../contract/base/stored-object.ts';
import type { ObjectStore } from '../../storage/objects/object-store.ts';
import { refusalOf } from './refused-write.ts';

/**
 * Stores what has to be on disk before a request is promised anything. Throws `insufficient_storage` when the volume is full, and
 * `storage_unavailable` when the system refuses for another reason: nothing was promised, and the client may ask again.
 */
export async function storeBeforePromise(
  objectStore: Pick<ObjectStore, 'putAll'>,
  objects: readonly StoredObject[],
): Promise<void> {
  try {
    await objectStore.putAll(objects);
  } catch (error) {
    throw refusalOf(error) ?? error;
  }
}
