import test from 'ava';
import { TimeSlices } from '../../../actors/supervision/time-slices.ts';
import type { Steps } from '../../../receipts/core/steps.ts';
import { openSubtitleFile } from '../../../receipts/sources/subtitle-file.ts';
import { linesOfStep } from '../../../receipts/sources/text-lines.ts';

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
