import test from 'ava';
import { z } from 'zod';
import { rowShapes } from '../../../actors/reopening/stored-runtime.ts';
import { prepareShapes } from '../../../actors/reopening/verified-runtimes.ts';
import type { ActorDefinition } from '../../../actors/supervision/actor-definition.ts';
import { SupervisedActor } from '../../../actors/supervision/supervised-actor.ts';
import { TimeSlices } from '../../../actors/supervision/system-clock.ts';
import { chargedEveryMs, TimeBudgets } from '../../../actors/supervision/time-budgets.ts';
import { WorkQueue } from '../../../actors/supervision/work-queue.ts';
import type { Steps } from '../../../formats/steps.ts';
import { linesOfStep, openSubtitleFile } from '../../../formats/subtitles.ts';
import { SimulatedClock } from './simulated-clock.ts';

const lineOf = (capacity: number) => {
  const granted: string[] = [];
  return { granted, queue: new WorkQueue(capacity, (id) => granted.push(id)) };
};

test('workers are granted first come, first served, as many as there are', (t) => {
  const { queue, granted } = lineOf(2);
  queue.open();
  for (const id of ['a', 'b', 'c', 'd']) queue.wait(id, queue.nextPosition());
  t.deepEqual(granted, ['a', 'b']);
  queue.leave('b');
  t.deepEqual(granted, ['a', 'b', 'c']);
  queue.leave('a');
  queue.leave('c');
  t.deepEqual(granted, ['a', 'b', 'c', 'd']);
});

test('until it opens, the queue only fills, in the order of the positions', (t) => {
  const { queue, granted } = lineOf(1);
  for (const [id, position] of Object.entries({ late: 9, early: 2, middle: 5 })) queue.wait(id, position);
  t.deepEqual(granted, []);
  t.is(queue.nextPosition(), 10);
  queue.wait('new', 10);
  queue.open();
  for (const id of ['early', 'middle', 'late']) queue.leave(id);
  t.deepEqual(granted, ['early', 'middle', 'late', 'new']);
});

test('work that had begun keeps its worker, even beyond the number of workers', (t) => {
  const { queue, granted } = lineOf(1);
  queue.occupy('a');
  queue.occupy('b');
  queue.occupy('b');
  queue.wait('c', 1);
  queue.open();
  queue.leave('a');
  t.deepEqual(granted, []);
  queue.leave('b');
  t.deepEqual(granted, ['c']);
});

test('who leaves the line is passed over, and who is not in it leaves without a trace', (t) => {
  const { queue, granted } = lineOf(1);
  queue.open();
  for (const id of ['a', 'b', 'c']) queue.wait(id, queue.nextPosition());
  queue.leave('b');
  queue.leave('nobody');
  queue.leave('a');
  t.deepEqual(granted, ['a', 'c']);
});

test('who joins again keeps one place, and gives back a worker that was not taken', (t) => {
  const { queue, granted } = lineOf(1);
  queue.open();
  queue.wait('a', 1);
  queue.wait('b', 2);
  queue.wait('b', 2);
  queue.wait('a', 1);
  t.deepEqual(granted, ['a', 'a']);
  queue.leave('a');
  queue.leave('b');
  t.deepEqual(granted, ['a', 'a', 'b']);
});

const budgetsOnClock = () => {
  const clock = new SimulatedClock(1_000_000);
  return { clock, budgets: new TimeBudgets(clock) };
};

test('time runs only between run and its stop', (t) => {
  const { clock, budgets } = budgetsOnClock();
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
  const { clock, budgets } = budgetsOnClock();
  let reached = false;
  budgets.set('a', 0);
  budgets.run('a', () => {
    reached = true;
  });
  clock.advance(0);
  t.true(reached);
});

test('an actor without a budget is never stopped by one', (t) => {
  const { clock, budgets } = budgetsOnClock();
  budgets.run('a', () => t.fail())();
  budgets.set('b', 10);
  budgets.forget('b');
  budgets.run('b', () => t.fail());
  clock.advance(1000);
  t.is(budgets.remaining('a'), null);
  t.is(budgets.remaining('b'), null);
  t.is(clock.pending, 0);
});

test('time stops between pause and resume, and in a budget that is paused before it runs', (t) => {
  const { clock, budgets } = budgetsOnClock();
  let reached = 0;
  budgets.set('a', 1000);
  budgets.pause('a', 'waiting');
  const stop = budgets.run('a', () => {
    reached += 1;
  });
  clock.advance(5000);
  t.is(budgets.remaining('a'), 1000);
  budgets.resume('a', 'waiting');
  clock.advance(400);
  budgets.pause('a', 'waiting');
  budgets.pause('a', 'waiting');
  clock.advance(5000);
  t.is(budgets.remaining('a'), 600);
  budgets.resume('a', 'waiting');
  clock.advance(600);
  t.is(reached, 1);
  stop();
  budgets.pause('a', 'waiting');
  budgets.resume('a', 'waiting');
  budgets.resume('nobody', 'waiting');
  t.is(clock.pending, 0);
});

test('time that stands still for two reasons runs again after both', (t) => {
  const { clock, budgets } = budgetsOnClock();
  budgets.set('a', 1000);
  budgets.run('a', () => t.fail());
  budgets.pause('a', 'engine');
  budgets.pause('a', 'waiting');
  budgets.resume('a', 'waiting');
  clock.advance(5000);
  t.is(budgets.remaining('a'), 1000);
  budgets.resume('a', 'engine');
  clock.advance(400);
  t.is(budgets.remaining('a'), 600);
});

test('an actor is charged piece by piece, and notified of each but the last', (t) => {
  const { clock, budgets } = budgetsOnClock();
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

test('an actor is settled when its newest commit is, also one that began while another was awaited', async (t) => {
  const actor = new SupervisedActor({} as ActorDefinition, 'a', {}, null);
  const landed: (() => void)[] = [];
  const commit = () => new Promise<void>((resolve) => landed.push(resolve));
  actor.committed = commit();
  let isSettled = false;
  const settled = actor.settled().then(() => {
    isSettled = true;
  });
  actor.committed = commit();
  landed[0]?.();
  await new Promise((resolve) => setImmediate(resolve));
  t.false(isSettled);
  landed[1]?.();
  await settled;
  actor.committed = Promise.reject(new Error('refused'));
  await t.throwsAsync(actor.settled(), { message: 'refused' });
});

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

/** Counts how often everything else has its turn while `work` lasts. */
async function turnsBeside<Value>(
  work: () => Promise<Value>,
): Promise<{ readonly turns: number; readonly value: Value }> {
  let turns = 0;
  let isOver = false;
  const others = () => {
    turns += 1;
    if (!isOver) setImmediate(others);
  };
  setImmediate(others);
  const value = await work();
  isOver = true;
  return { turns, value };
}

test('a computation in steps lets everything else work after each slice, and keeps its value', async (t) => {
  const clock = { now: 0 };
  function* ofSteps(count: number): Steps<string> {
    for (let step = 0; step < count; step += 1) {
      clock.now += 1;
      yield;
    }
    return 'done';
  }
  const slices = new TimeSlices(() => clock.now);
  const { turns, value } = await turnsBeside(() => slices.run(ofSteps(30)));
  t.is(value, 'done');
  t.true(turns >= 10, `${turns} turns beside 30 steps`);
});

test('a hostile subtitle file of 1 MiB holds up nothing for longer than a slice', async (t) => {
  const bytes = Buffer.from(`WEBVTT\n\n00:00.000 --> 00:00.001\nx\n\nSTYLE\n${'x\n'.repeat(520_000)}`);
  const clock = { now: 0 };
  // Each look at the clock is one step later, and a step takes a millisecond.
  const slices = new TimeSlices(() => {
    clock.now += 1;
    return clock.now;
  });
  const { turns, value } = await turnsBeside(() =>
    slices.run(openSubtitleFile(bytes, { format: null, encoding: null })),
  );
  t.is(value.cues.length, 1);
  t.true(turns >= (2 * 520_000) / linesOfStep / 4, `${turns} turns`);
});

/** How often others may work while these shapes are prepared. */
async function pausesOf(shapes: readonly z.ZodType[]): Promise<number> {
  let pauses = 0;
  await prepareShapes(shapes, () => {
    pauses += 1;
  });
  return pauses;
}

test('others may work after each part of a shape, and each part is prepared once', async (t) => {
  const inner = z.object({ name: z.string() });
  const outer = z.strictObject({
    one: inner,
    many: z.array(inner).max(3),
    either: z.union([inner, z.null()]),
    later: inner.optional(),
    piped: z.string().transform(Number).pipe(z.number()),
    kinds: z.record(z.enum(['a', 'b']), inner),
  });
  const pauses = await pausesOf([outer, inner]);
  t.true(pauses >= 12 && pauses < 20, `${pauses}`);
  const value = {
    one: { name: 'x' },
    many: [],
    either: null,
    piped: '7',
    kinds: { a: { name: 'y' }, b: { name: 'z' } },
  };
  t.deepEqual(outer.parse(value), { ...value, piped: 7 });
  t.false(outer.safeParse({ ...value, other: 1 }).success);
});

test('a shape that leads back to itself comes to an end, and is not run on any value', async (t) => {
  const tree: z.ZodType = z.object({
    get branches() {
      return z.array(tree);
    },
    kept: z.custom((value) => {
      if (value === undefined) return false;
      throw new Error('it has seen a value');
    }),
  });
  t.true((await pausesOf([tree])) < 6);
});

test('the rows with which every reopening begins are prepared in a hundred parts', async (t) => {
  t.true((await pausesOf(rowShapes)) > 100);
});
