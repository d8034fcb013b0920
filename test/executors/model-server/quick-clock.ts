import type { Clock } from '../../../contract/base/clock.ts';

/** A clock whose waits take no time and are noted; a limit of `limitMs` is never reached. */
export function quick(limitMs: number) {
  const waits: number[] = [];
  const clock: Clock = {
    now: () => 0,
    setTimeout: (run, ms) => {
      if (ms === limitMs) return null;
      waits.push(ms);
      return setImmediate(run);
    },
    clearTimeout: (timer) => clearImmediate(timer as NodeJS.Immediate),
  };
  return { waits, clock };
}
