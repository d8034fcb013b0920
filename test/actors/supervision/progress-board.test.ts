import test from 'ava';
import { SimulatedClock } from 'xstate';
import { ProgressBoard } from '../../../actors/supervision/progress-board.ts';
import { StageMeter } from '../../../actors/supervision/stage-meter.ts';
import { SimulatedClock as SettableClock } from './simulated-clock.ts';

const upload = (completed: number) => ({ stage: 'upload', completed, total: 1000, unit: 'bytes' }) as const;

test('an estimate stands only where a second of the work was measured', (t) => {
  const meter = new StageMeter(upload(0), 5_000);
  t.like(meter.read(), { completed: 0, total: 1000, unit: 'bytes', bytes: 0, bytesPerSecond: null, etaMs: null });
  meter.add(upload(100), 5_999);
  t.like(meter.read(), { completed: 100, bytesPerSecond: null, etaMs: null });
  meter.add(upload(400), 7_000);
  t.like(meter.read(), { completed: 400, bytesPerSecond: 200, etaMs: 3000 });
  meter.add(upload(0), 9_000);
  t.like(meter.read(), { completed: 0, bytesPerSecond: null, etaMs: null });
});

test('the pace of a download is of its media, its speed of its bytes', (t) => {
  const part = (completed: number, bytes: number) =>
    ({ stage: 'download', completed, total: 4000, unit: 'milliseconds', bytes }) as const;
  const meter = new StageMeter(part(0, 0), 0);
  meter.add(part(1000, 50_000), 2000);
  t.like(meter.read(), { completed: 1000, bytes: 50_000, bytesPerSecond: 25_000, etaMs: 6000 });
});

test('watchers of a piece of work hear of it at most ten times a second, and of the last change in any case', (t) => {
  const simulated = new SimulatedClock();
  const board = new ProgressBoard({
    clock: {
      setTimeout: (run: () => void, ms: number) => simulated.setTimeout(run, ms),
      clearTimeout: (timer: unknown) => simulated.clearTimeout(timer as never),
    },
    elapsed: () => simulated.now(),
    report: (line) => t.fail(line),
  });
  let told = 0;
  const stop = board.watch('runtime:1', () => {
    told += 1;
  });
  for (let at = 0; at < 1000; at += 1) {
    board.note('runtime:1', upload(at));
    board.note('runtime:2', upload(at));
    simulated.increment(1);
  }
  // At once, and then after each tenth of a second.
  t.is(told, 11);
  simulated.increment(100);
  board.note('runtime:1', upload(1000));
  stop();
  simulated.increment(1000);
  t.is(told, 12);
  board.note('runtime:1', upload(1000));
  t.is(told, 12);
});

test('bug: watchers heard of no change for an hour where the clock was set back by one', (t) => {
  const clock = new SettableClock(0);
  const board = new ProgressBoard({ clock, elapsed: clock.elapsed, report: (line) => t.fail(line) });
  let told = 0;
  board.watch('runtime:1', () => {
    told += 1;
  });
  board.note('runtime:1', upload(1));
  clock.set(-3_600_000);
  board.note('runtime:1', upload(2));
  t.is(told, 1);
  clock.advance(100);
  t.is(told, 2);
});
