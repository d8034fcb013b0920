import type { StoredObject } from '../../contract/base/stored-object.ts';
import type { ObjectStore } from '../../storage/objects/object-store.ts';
import { ObjectStoreError } from '../../storage/objects/object-store-error.ts';
import { refusedWrite } from './refused-write.ts';

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
    if (!(error instanceof ObjectStoreError) || error.code !== 'storage_fault') throw error;
    throw refusedWrite(error, 'written');
  }
}
