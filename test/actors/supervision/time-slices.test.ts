import test from 'ava';
import { TimeSlices } from '../../../actors/supervision/time-slices.ts';

/** A computation that pauses after each unit of work, on a clock that its work alone moves. */
function sharedSlices(unitMs: number) {
  const clock = { now: 0 };
  const slices = new TimeSlices(() => clock.now);
  const compute = async (units: number): Promise<void> => {
    for (let unit = 0; unit < units; unit += 1) {
      clock.now += unitMs;
      await slices.pause();
    }
  };
  return { clock, slices, compute };
}

test('computations that share slices let everything else work once a slice is over', async (t) => {
  const { compute } = sharedSlices(4);
  let turns = 0;
  let isOver = false;
  const others = () => {
    turns += 1;
    if (!isOver) setImmediate(others);
  };
  setImmediate(others);
  await Promise.all([compute(10), compute(10)]);
  isOver = true;
  t.true(turns >= 10, `${turns} turns beside 20 units`);
});

test('within a slice nothing waits, and at its end everything does', async (t) => {
  const { clock, slices } = sharedSlices(1);
  await slices.pause();
  clock.now += 2.9;
  t.is(slices.pause(), undefined);
  clock.now += 0.1;
  t.not(slices.pause(), undefined);
});
