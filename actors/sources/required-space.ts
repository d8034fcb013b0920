import { ServiceError } from '../../contract/base/service-error.ts';
import type { Vault } from '../../storage/objects/vault.ts';

/** Room that must stay free beside the media itself: ledger, receipts and the tools' private folders. */
export const reservedBytes = 256 * 1024 * 1024;

/** Throws `insufficient_storage` when the volume has no room for `bytes` and the reserve. */
export async function requireSpace(vault: Vault, bytes: number): Promise<void> {
  if ((await vault.freeBytes()) < bytes + reservedBytes) {
    throw new ServiceError('insufficient_storage', 'the volume of the data root has too little free space');
  }
}
