import type { Clock } from '../../contract/base/clock.ts';
import type { Vault } from '../objects/vault.ts';
import { patiently } from './patience.ts';

/** A vault whose reads are tried again when the system refuses them, and then fail with `StorageUnavailable`. */
export const patientVault = (vault: Vault, clock: Clock): Vault => ({
  receive: (name, declaredBytes) => vault.receive(name, declaredBytes),
  adopt: (path, announce) => vault.adopt(path, announce),
  put: (bytes) => vault.put(bytes),
  putAll: (objects) => vault.putAll(objects),
  locate: (contentId) => vault.locate(contentId),
  quarantine: (contentId) => vault.quarantine(contentId),
  discard: (contentId) => vault.discard(contentId),
  sweep: () => vault.sweep(),
  freeBytes: () => patiently(clock, () => vault.freeBytes()),
  verify: (contentId, options) => patiently(clock, () => vault.verify(contentId, options)),
  verifyFile: (path, contentId, options) => patiently(clock, () => vault.verifyFile(path, contentId, options)),
  openFile: (path, contentId) => patiently(clock, () => vault.openFile(path, contentId)),
  read: (contentId, maximumBytes) => patiently(clock, () => vault.read(contentId, maximumBytes)),
  readFile: (path, contentId, maximumBytes) => patiently(clock, () => vault.readFile(path, contentId, maximumBytes)),
});
