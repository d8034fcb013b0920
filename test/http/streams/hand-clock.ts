import { SimulatedClock } from 'xstate';

/** A clock that is moved by hand. */
export function handClock() {
  const simulated = new SimulatedClock();
  return {
    advance: (ms: number) => simulated.increment(ms),
    clock: {
      now: () => simulated.now(),
      setTimeout: (run: () => void, ms: number) => simulated.setTimeout(run, ms),
      clearTimeout: (timer: unknown) => simulated.clearTimeout(timer as never),
    },
  };
}
