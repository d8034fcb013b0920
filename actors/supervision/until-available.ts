import type { Clock } from '../../contract/base/clock.ts';
import { StorageUnavailable } from '../../contract/base/errors.ts';

const firstWaitMs = 1_000;
const longestWaitMs = 30_000;

/**
 * Runs work again, after a growing wait, as long as the storage refuses its reads: that says nothing about the work.
 * Rejects with anything else that it throws, and with the reason of `signal` once that aborts.
 */
export async function untilAvailable<Result>(
  clock: Clock,
  signal: AbortSignal,
  run: () => Promise<Result>,
): Promise<Result> {
  for (let waitMs = firstWaitMs; ; waitMs = Math.min(2 * waitMs, longestWaitMs)) {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof StorageUnavailable)) throw error;
    }
    await pause(clock, signal, waitMs);
  }
}

function pause(clock: Clock, signal: AbortSignal, ms: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clock.clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = clock.setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
  });
}
