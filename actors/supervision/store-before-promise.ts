import { ServiceError } from '../../contract/base/service-error.ts';
import { StorageUnavailable } from '../../contract/base/storage-unavailable.ts';
import type { StoredObject } from '../../contract/base/stored-object.ts';
import type { ObjectStore } from '../../storage/objects/object-store.ts';
import { failedWith, ObjectStoreError } from '../../storage/objects/object-store-error.ts';

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
    if (failedWith(error.cause, 'ENOSPC')) {
      throw new ServiceError('insufficient_storage', 'the volume of the data root is full');
    }
    throw new StorageUnavailable(error, 'written');
  }
}
