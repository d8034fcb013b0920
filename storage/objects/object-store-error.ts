import type { SystemRefusalCode } from '../system-refusal.ts';

export type ObjectStoreErrorCode =
  | SystemRefusalCode
  | 'data_root_permissions'
  | 'data_root_unrecognized'
  | 'storage_fault'
  | 'store_format_unsupported'
  | 'invalid_name'
  | 'object_missing'
  | 'object_damaged'
  | 'object_too_large';

/** The one way in which the object store fails. `message` begins with the code; the system's error is the cause. */
export class ObjectStoreError extends Error {
  readonly code: ObjectStoreErrorCode;
  constructor(code: ObjectStoreErrorCode, detail: string, cause?: unknown) {
    super(`${code}: ${detail}`, cause === undefined ? undefined : { cause });
    this.name = 'ObjectStoreError';
    this.code = code;
  }
}

/** An error of the file system in the words of the object store; its own errors stay as they are. */
export const storageFault = (error: unknown, what: string): ObjectStoreError =>
  error instanceof ObjectStoreError ? error : new ObjectStoreError('storage_fault', what, error);

/** True if a system call failed with one of these codes, such as `ENOENT`. */
export const failedWith = (error: unknown, ...codes: readonly string[]): boolean =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && codes.includes(error.code);
