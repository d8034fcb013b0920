import test from 'ava';
import { TimeSlices } from '../../../actors/supervision/time-slices.ts';

const busyFor = (milliseconds: number): void => {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
};

test('computations that share slices let everything else work once a slice is over', async (t) => {
  const slices = new TimeSlices();
  let turns = 0;
  let isOver = false;
  const others = () => {
    turns += 1;
    if (!isOver) setImmediate(others);
  };
  setImmediate(others);
  const compute = async () => {
    for (let unit = 0; unit < 10; unit += 1) {
      busyFor(4);
      await slices.pause();
    }
  };
  await Promise.all([compute(), compute()]);
  isOver = true;
  t.true(turns >= 10, `${turns} turns beside 20 units`);
});

test('within a slice nothing waits', async (t) => {
  const slices = new TimeSlices();
  await slices.pause();
  t.is(slices.pause(), undefined);
});
