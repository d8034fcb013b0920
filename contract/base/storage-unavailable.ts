import { retryAfter } from './retry-after.ts';
import { ServiceError } from './service-error.ts';

const retryAfterSeconds = 1;

/**
 * The storage refused a read, or what was to be written before anything is promised, for a reason that says nothing about what
 * is stored: too many open files, an error of the device. Nothing was changed, and nothing is remembered of it; the same request
 * may succeed later.
 */
export class StorageUnavailable extends ServiceError {
  constructor(cause: unknown, refused: 'read' | 'written' = 'read') {
    super(
      'storage_unavailable',
      `the data root cannot be ${refused} just now (${reasonOf(cause)})`,
      retryAfter(retryAfterSeconds),
    );
    this.name = 'StorageUnavailable';
    this.cause = cause;
  }
}

/** The system's own word for what went wrong, such as `EMFILE`; it lies at the end of the causes. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  if (error.cause !== undefined) return reasonOf(error.cause);
  return 'code' in error ? String(error.code) : error.name;
}
