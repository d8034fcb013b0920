import { retryAfter } from './retry-after.ts';
import { ServiceError } from './service-error.ts';

const retryAfterSeconds = 1;

const told = {
  read: (reason: string) => `the data root cannot be read just now (${reason})`,
  written: (reason: string) => `the data root cannot be written just now (${reason})`,
  received: (reason: string) => `the media cannot be written (${reason}), and its ingest has failed`,
} as const;

/**
 * The storage refused a read, or what was to be written before anything is promised, for a reason that says nothing about what
 * is stored: too many open files, an error of the device. Nothing was changed, and nothing is remembered of it; the same request
 * may succeed later. Media that was refused has failed its ingest: another may succeed.
 */
export class StorageUnavailable extends ServiceError {
  constructor(cause: unknown, refused: keyof typeof told = 'read') {
    super('storage_unavailable', told[refused](reasonOf(cause)), retryAfter(retryAfterSeconds));
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
