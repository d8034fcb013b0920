import { ServiceError } from '../../contract/base/errors.ts';
import type { ObjectStore } from '../../storage/objects/object-store.ts';

/** Room that must stay free beside the media itself: ledger, receipts and the tools' private folders. */
export const reservedBytes = 256 * 1024 * 1024;

/** Throws `insufficient_storage` when the volume has no room for `bytes` and the reserve. */
export async function requireSpace(objectStore: ObjectStore, bytes: number): Promise<void> {
  if ((await objectStore.freeBytes()) < bytes + reservedBytes) {
    throw new ServiceError('insufficient_storage', 'the volume of the data root has too little free space');
  }
}
