import { ObjectStoreError } from './object-store-error.ts';

/** The folder that host and workers share could not be used. `message` says which folder and why. */
export class ObjectSourceFault extends Error {
  constructor(folder: string, cause: unknown) {
    super(`the object source ${folder} cannot be used (${wordOf(cause)})`, { cause });
    this.name = 'ObjectSourceFault';
  }
}

const ofObjects: readonly string[] = ['object_missing', 'object_damaged', 'object_too_large'];

/** What is said of a single object stays as it is; anything else is a fault of the folder. */
export function sourceFault(error: unknown, folder: string): ObjectStoreError | ObjectSourceFault {
  if (error instanceof ObjectSourceFault) return error;
  if (error instanceof ObjectStoreError && ofObjects.includes(error.code)) return error;
  return new ObjectSourceFault(folder, error);
}

function wordOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof ObjectStoreError && error.cause !== undefined) return wordOf(error.cause);
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}
