import test from 'ava';
import { TimeBudgets } from '../../../actors/supervision/time-budgets.ts';
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
