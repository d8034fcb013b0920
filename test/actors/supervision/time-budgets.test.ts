import test from 'ava';
import { chargedEveryMs, TimeBudgets } from '../../../actors/supervision/time-budgets.ts';
import { SimulatedClock } from './simulated-clock.ts';

const bench = () => {
  const clock = new SimulatedClock(1_000_000);
  return { clock, budgets: new TimeBudgets(clock) };
};

test('time runs only between run and its stop', (t) => {
  const { clock, budgets } = bench();
  let reached = 0;
  budgets.set('a', 1000);
  clock.advance(5000);
  t.is(budgets.remaining('a'), 1000);
  const stop = budgets.run('a', () => {
    reached += 1;
  });
  clock.advance(400);
  t.is(budgets.remaining('a'), 600);
  stop();
  clock.advance(5000);
  t.is(budgets.remaining('a'), 600);
  budgets.run('a', () => {
    reached += 1;
  });
  clock.advance(599);
  t.is(reached, 0);
  clock.advance(1);
  t.is(reached, 1);
  t.is(budgets.remaining('a'), 0);
  clock.advance(1000);
  t.is(reached, 1);
  t.is(clock.pending, 0);
});

test('a budget that was used up in an earlier life is reached at once', (t) => {
  const { clock, budgets } = bench();
  let reached = false;
  budgets.set('a', 0);
  budgets.run('a', () => {
    reached = true;
  });
  clock.advance(0);
  t.true(reached);
});

test('whoever has no budget is never stopped by one', (t) => {
  const { clock, budgets } = bench();
  budgets.run('a', () => t.fail())();
  budgets.set('b', 10);
  budgets.forget('b');
  budgets.run('b', () => t.fail());
  clock.advance(1000);
  t.is(budgets.remaining('a'), null);
  t.is(budgets.remaining('b'), null);
  t.is(clock.pending, 0);
});

test('time stands between pause and resume, and in a budget that is paused before it runs', (t) => {
  const { clock, budgets } = bench();
  let reached = 0;
  budgets.set('a', 1000);
  budgets.pause('a');
  const stop = budgets.run('a', () => {
    reached += 1;
  });
  clock.advance(5000);
  t.is(budgets.remaining('a'), 1000);
  budgets.resume('a');
  clock.advance(400);
  budgets.pause('a');
  budgets.pause('a');
  clock.advance(5000);
  t.is(budgets.remaining('a'), 600);
  budgets.resume('a');
  clock.advance(600);
  t.is(reached, 1);
  stop();
  budgets.pause('a');
  budgets.resume('a');
  budgets.resume('nobody');
  t.is(clock.pending, 0);
});

test('an actor is charged piece by piece, and told of each but the last', (t) => {
  const { clock, budgets } = bench();
  const charged: (number | null)[] = [];
  budgets.onCharged((id) => charged.push(budgets.remaining(id)));
  budgets.set('a', 2 * chargedEveryMs + 1000);
  let reached = 0;
  budgets.run('a', () => {
    reached += 1;
  });
  clock.advance(2 * chargedEveryMs + 999);
  t.deepEqual(charged, [chargedEveryMs + 1000, 1000]);
  t.is(reached, 0);
  clock.advance(1);
  t.is(reached, 1);
  t.is(charged.length, 2);
  t.is(clock.pending, 0);
});

test('a clock that is set to another time neither gives nor takes more than a piece', (t) => {
  const clock = new SimulatedClock(10_000_000);
  let shiftMs = 0;
  const budgets = new TimeBudgets({
    now: () => clock.now() + shiftMs,
    setTimeout: (run, ms) => clock.setTimeout(run, ms),
    clearTimeout: (timer) => clock.clearTimeout(timer),
  });
  let reached = 0;
  budgets.set('a', 3 * chargedEveryMs);
  budgets.run('a', () => {
    reached += 1;
  });
  clock.advance(1000);
  shiftMs = -3_600_000;
  t.is(budgets.remaining('a'), 3 * chargedEveryMs);
  shiftMs = 3_600_000;
  t.is(budgets.remaining('a'), 2 * chargedEveryMs);
  clock.advance(3 * chargedEveryMs - 1001);
  t.is(reached, 0);
  clock.advance(1);
  t.is(reached, 1);
});
