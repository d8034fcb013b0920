import { systemClock } from '../../actors/supervision/system-clock.ts';
import type { Clock } from '../../contract/base/clock.ts';

const from = Date.now();
const slowness = 8;

/**
 * A clock at an eighth of the speed, for hosts of an experiment on a busy machine. Limits of time, a study's own among
 * them, then do not end slow work. A standstill is still found (`waitUntil`).
 */
export const slowClock: Clock = {
  ...systemClock,
  now: () => from + Math.floor((Date.now() - from) / slowness),
  setTimeout: (run, ms) => systemClock.setTimeout(run, ms * slowness),
};
