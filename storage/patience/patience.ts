import type { Clock } from '../../contract/base/clock.ts';
import { StorageUnavailable } from '../../contract/base/errors.ts';
import { isPassingFault } from './passing-fault.ts';

// Long enough for a burst of open files to be over, short enough for a client that waits for an answer.
const waitsMs = [20, 100, 300];

/** Reads again after each fault that passes. Rejects with `StorageUnavailable` where it stays, with any other at once. */
export async function patiently<Value>(clock: Clock, read: () => Promise<Value>): Promise<Value> {
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
export function atOnce<Value>(read: () => Value): Value {
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
