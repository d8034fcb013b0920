/**
 * Resolves with the first thing that `read` finds, now or after a commit that `watch` reports; null says that there is nothing
 * yet. Rejects with the reason of `signal` once that aborts, and with whatever `read` throws.
 */
export function untilCommitted<Value>(
  watch: (listener: () => void) => () => void,
  read: () => Promise<Value | null>,
  signal: AbortSignal,
): Promise<Value> {
  return new Promise((resolve, reject) => {
    const settle = (end: () => void) => {
      unwatch();
      signal.removeEventListener('abort', stop);
      end();
    };
    const stop = () => settle(() => reject(signal.reason));
    const look = () => {
      read().then(
        (value) => value !== null && settle(() => resolve(value)),
        (error) => settle(() => reject(error)),
      );
    };
    const unwatch = watch(look);
    signal.addEventListener('abort', stop);
    if (signal.aborted) stop();
    else look();
  });
}
