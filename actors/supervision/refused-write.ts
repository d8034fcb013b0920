import { ServiceError, StorageUnavailable } from '../../contract/base/errors.ts';
import { ObjectStoreError } from '../../storage/objects/object-store-error.ts';
import { systemRefusal } from '../../storage/system-refusal.ts';

/** Whether the volume, or the quota of this user, had no room for what was written. */
export const isFull = (error: ObjectStoreError): boolean => systemRefusal(error) === 'storage_full';

/** What a client is told of bytes that the object store could not write. */
export const refusedWrite = (error: ObjectStoreError, refused: 'written' | 'received'): ServiceError =>
  isFull(error)
    ? new ServiceError('insufficient_storage', 'the volume of the data root is full')
    : new StorageUnavailable(error, refused);

/** What a client is told of objects that were not stored; null where the system refused nothing. */
export const refusalOf = (error: unknown): ServiceError | null =>
  error instanceof ObjectStoreError && error.code === 'storage_fault' ? refusedWrite(error, 'written') : null;
