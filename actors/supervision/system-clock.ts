import type { Clock } from '../../contract/base/clock.ts';

// Node fires a timer above this at once; a longer wait is taken in stages.
const longestTimerMs = 2 ** 31 - 1;

/** The clock of the real host. Its timers never keep the process alive. */
export const systemClock: Clock = {
  now: () => Date.now(),
  setTimeout: (run, ms) => {
    const timer = { current: undefined as NodeJS.Timeout | undefined };
    const arm = (left: number) => {
      const stage = Math.min(left, longestTimerMs);
      timer.current = setTimeout(() => (left > stage ? arm(left - stage) : run()), stage);
      timer.current.unref();
    };
    arm(ms);
    return timer;
  },
  clearTimeout: (timer) => clearTimeout((timer as { current: NodeJS.Timeout | undefined } | null | undefined)?.current),
};
