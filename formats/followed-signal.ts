import type { Clock } from '../contract/base/clock.ts';

/** A signal for one piece of work. Many of them may follow a signal that lives as long as the process. */
export interface WorkSignal {
  /** Aborts with the reason of the first signal that does. */
  readonly signal: AbortSignal;
  /** Stops following the signals; to be called when the work has ended. */
  readonly release: () => void;
}

/** The ends that an abort of each signal calls. A signal has one listener for all of them: Node warns about an eleventh. */
const followers = new WeakMap<AbortSignal, Set<() => void>>();

function endAll(this: AbortSignal): void {
  const ends = followers.get(this) ?? [];
  followers.delete(this);
  for (const end of ends) end();
}

/**
 * Calls `end` when a signal aborts, at once if it has. Returns a function that stops following the signal, to be called when there is
 * nothing left to end.
 */
export function onAbort(signal: AbortSignal, end: () => void): () => void {
  if (signal.aborted) {
    end();
    return () => undefined;
  }
  // Not `end` itself: it may be given twice.
  const own = () => end();
  const ends = followers.get(signal) ?? new Set();
  if (ends.size === 0) signal.addEventListener('abort', endAll, { once: true });
  followers.set(signal, ends.add(own));
  return () => {
    if (!ends.delete(own) || ends.size > 0 || followers.get(signal) !== ends) return;
    followers.delete(signal);
    signal.removeEventListener('abort', endAll);
  };
}

/**
 * Follows signals until `release` is called. `AbortSignal.any` releases nothing before a garbage collection, and in some releases
 * of Node not even then. `fetch` in Node 20 leaves its listener on the signal, and warns about each one above 1,500.
 */
export function followedSignals(signals: readonly (AbortSignal | null | undefined)[]): WorkSignal {
  const work = new AbortController();
  const releases = signals.map((each) => (each ? onAbort(each, () => work.abort(each.reason)) : () => undefined));
  return {
    signal: work.signal,
    release: () => {
      for (const release of releases) release();
    },
  };
}

/** Does work under a signal that follows others, and releases them when the work has settled. */
export async function following<Result>(
  signals: readonly (AbortSignal | null | undefined)[],
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const { signal, release } = followedSignals(signals);
  try {
    return await work(signal);
  } finally {
    release();
  }
}

/**
 * Does work under a signal that aborts after `ms`. The timer is held until the work has settled: if only `fetch` refers to an
 * `AbortSignal.timeout`, a garbage collection may take the limit away.
 */
export async function withinMs<Result>(ms: number, work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(new DOMException(`not done within ${ms} ms`, 'TimeoutError')), ms);
  try {
    return await work(limit.signal);
  } finally {
    clearTimeout(timer);
  }
}

/** Waits. Rejects with the reason of `signal` once that aborts. */
export function paused(
  clock: Pick<Clock, 'setTimeout' | 'clearTimeout'>,
  ms: number,
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let unfollow: () => void = () => undefined;
    const timer = clock.setTimeout(() => {
      unfollow();
      resolve();
    }, ms);
    unfollow = onAbort(signal, () => {
      clock.clearTimeout(timer);
      reject(signal.reason);
    });
  });
}
