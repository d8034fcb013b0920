import type { Clock } from '../contract/base/clock.ts';
import { StorageUnavailable } from '../contract/base/errors.ts';
import { type Ledger, LedgerError } from './ledger/ledger.ts';
import type { ObjectStore } from './objects/object-store.ts';
import { failedWith, ObjectStoreError } from './objects/object-store-error.ts';

/**
 * True if a read failed for a reason outside the stored data. Damage fails a digest, a checksum, a chain or a schema. These have
 * codes of their own, except for a block of the store that is read with many others.
 */
export function isPassingFault(error: unknown): boolean {
  if (error instanceof ObjectStoreError) return error.code === 'storage_fault';
  return (
    error instanceof LedgerError && error.code === 'store_unreadable' && !failedWith(error.cause, 'LEVEL_CORRUPTION')
  );
}

// Long enough for a burst of open files to be over, short enough for a client that waits for an answer.
const waitsMs = [20, 100, 300];

/** Reads again after each fault that passes. Rejects with `StorageUnavailable` where it stays, with any other at once. */
async function patiently<Value>(clock: Clock, read: () => Promise<Value>): Promise<Value> {
  for (const waitMs of waitsMs) {
    try {
      return await read();
    } catch (error) {
      if (!isPassingFault(error)) throw error;
    }
    await new Promise<void>((resolve) => clock.setTimeout(resolve, waitMs));
  }
  return read().catch(refusePassing);
}

/** The same for a synchronous read: it is tried once more. */
function atOnce<Value>(read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    if (!isPassingFault(error)) throw error;
  }
  try {
    return read();
  } catch (error) {
    return refusePassing(error);
  }
}

function refusePassing(error: unknown): never {
  throw isPassingFault(error) ? new StorageUnavailable(error) : error;
}

/**
 * The same for work that is not tried again as a whole, such as a walk over all rows and objects. A fault that passes becomes
 * `StorageUnavailable` at once.
 */
export const refusedIfPassing = <Value>(work: Promise<Value>): Promise<Value> => work.catch(refusePassing);

/** A ledger whose reads are tried again when the system refuses them, and then fail with `StorageUnavailable`. */
export const patientLedger = (ledger: Ledger, clock: Clock): Ledger => ({
  commit: (writes) => ledger.commit(writes),
  durable: () => ledger.durable(),
  newestCommit: () => ledger.newestCommit(),
  demandInPlace: () => ledger.demandInPlace(),
  close: () => ledger.close(),
  // If a walk fails half way, its caller starts it again.
  stored: (runId) => ledger.stored(runId),
  eraseEvents: (runId, limit) => patiently(clock, () => ledger.eraseEvents(runId, limit)),
  purge: (signal) => ledger.purge(signal),
  copyTo: (directory) => ledger.copyTo(directory),
  get: (space, key) => atOnce(() => ledger.get(space, key)),
  journalHead: (runId) => atOnce(() => ledger.journalHead(runId)),
  getMany: (space, keys) => patiently(clock, () => ledger.getMany(space, keys)),
  list: (space, prefix) => patiently(clock, () => ledger.list(space, prefix)),
  keysAfter: (space, prefix, after, limit) => patiently(clock, () => ledger.keysAfter(space, prefix, after, limit)),
  journalPage: (runId, after, limit) => patiently(clock, () => ledger.journalPage(runId, after, limit)),
  verifyJournal: (runId) => patiently(clock, () => ledger.verifyJournal(runId)),
});

/** An object store whose reads are tried again when the system refuses them, and then fail with `StorageUnavailable`. */
export const patientObjectStore = (objectStore: ObjectStore, clock: Clock): ObjectStore => ({
  receive: (name) => objectStore.receive(name),
  isReceiving: (name) => objectStore.isReceiving(name),
  partial: (name) => objectStore.partial(name),
  import: (path, announce) => objectStore.import(path, announce),
  put: (bytes) => objectStore.put(bytes),
  putAll: (objects) => objectStore.putAll(objects),
  settled: () => objectStore.settled(),
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
