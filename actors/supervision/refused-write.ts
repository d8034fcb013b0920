import { ServiceError, StorageUnavailable } from '../../contract/base/errors.ts';
import type { StoredObject } from '../../contract/base/stored-object.ts';
import { EvidenceChainError } from '../../receipts/evidence-chain.ts';
import type { ObjectStore } from '../../storage/objects/object-store.ts';
import { ObjectStoreError } from '../../storage/objects/object-store-error.ts';
import { systemRefusal } from '../../storage/system-refusal.ts';

/** True if the volume, or the quota of this user, had no room for the write. */
export const isFull = (error: ObjectStoreError): boolean => systemRefusal(error) === 'storage_full';

/** The error for a client about bytes that the object store could not write. */
export const refusedWrite = (error: ObjectStoreError, refused: 'written' | 'received'): ServiceError =>
  isFull(error)
    ? new ServiceError('insufficient_storage', 'the volume of the data root is full')
    : new StorageUnavailable(error, refused);

/** The error for a client about objects that were not stored; null if the system refused nothing. */
export const refusalOf = (error: unknown): ServiceError | null =>
  error instanceof ObjectStoreError && error.code === 'storage_fault' ? refusedWrite(error, 'written') : null;

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

/** The words of a stage for the failure of an attempt. */
export interface FailureWords {
  /** Begins the line for people. */
  readonly stage: string;
  /** True if the error was made for clients already. */
  isClientError(error: unknown): boolean;
  /** The basis of the attempt does not verify. */
  damaged(cause: unknown): Error;
  /** Anything else: it could not be written down. */
  unwritten(cause: unknown): Error;
}

/** Clients may read only errors that were made for them; any other is for people on the machine. */
export async function withClientErrors<Result>(
  { stage, isClientError, damaged, unwritten }: FailureWords,
  report: (line: string) => void,
  signal: AbortSignal,
  run: () => Promise<Result>,
): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    // No client waits any more for what was stopped, and nothing is wrong with it; what could not be read is tried again.
    if (isClientError(error) || signal.aborted || error instanceof StorageUnavailable) throw error;
    report(`${stage}: ${error instanceof Error ? error.message : String(error)}`);
    throw error instanceof EvidenceChainError ? damaged(error) : unwritten(error);
  }
}
