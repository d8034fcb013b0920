/** At most this many restarts of one actor within the window; then it is ended by its chart. */
export const restartLimit = { restarts: 3, windowMs: 60_000, firstDelayMs: 100 } as const;

/**
 * Notes a crash at `now` (ms of a clock that is never set) in an actor's `crashes` and says after how many milliseconds it may
 * start again: twice as long each time within the window, null once the window has seen too many.
 */
export function restartDelay(crashes: number[], now: number): number | null {
  crashes.push(now);
  const recent = crashes.filter((time) => now - time < restartLimit.windowMs).length;
  return recent > restartLimit.restarts ? null : restartLimit.firstDelayMs * 2 ** (recent - 1);
}
