import type { Clock } from '../../contract/base/clock.ts';
import type { ObjectStore } from '../objects/object-store.ts';
import { patiently } from './patience.ts';

/** An object store whose reads are tried again when the system refuses them, and then fail with `StorageUnavailable`. */
export const patientObjectStore = (objectStore: ObjectStore, clock: Clock): ObjectStore => ({
  receive: (name, declaredBytes) => objectStore.receive(name, declaredBytes),
  partial: (name) => objectStore.partial(name),
  import: (path, announce) => objectStore.import(path, announce),
  put: (bytes) => objectStore.put(bytes),
  putAll: (objects) => objectStore.putAll(objects),
  isKnown: (path, contentId) => objectStore.isKnown(path, contentId),
  openKnown: (path, contentId) => objectStore.openKnown(path, contentId),
  locate: (contentId) => objectStore.locate(contentId),
  quarantine: (contentId) => objectStore.quarantine(contentId),
  discard: (contentId) => objectStore.discard(contentId),
  isRecent: (contentId) => objectStore.isRecent(contentId),
  list: () => objectStore.list(),
  strays: () => patiently(clock, () => objectStore.strays()),
  removeStray: (stray) => objectStore.removeStray(stray),
  ledgerSize: () => patiently(clock, () => objectStore.ledgerSize()),
  sweep: (kept) => objectStore.sweep(kept),
  freeBytes: () => patiently(clock, () => objectStore.freeBytes()),
  verify: (contentId, options) => patiently(clock, () => objectStore.verify(contentId, options)),
  verifyFile: (path, contentId, options) => patiently(clock, () => objectStore.verifyFile(path, contentId, options)),
  openFile: (path, contentId) => patiently(clock, () => objectStore.openFile(path, contentId)),
  read: (contentId, maximumBytes) => patiently(clock, () => objectStore.read(contentId, maximumBytes)),
  readFile: (path, contentId, maximumBytes) =>
    patiently(clock, () => objectStore.readFile(path, contentId, maximumBytes)),
});
