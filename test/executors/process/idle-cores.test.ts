import test from 'ava';
import { idleBetween } from '../../../executors/process/idle-cores.ts';

/** A core that worked and idled so many ms. */
const core = (worked: number, idle: number) => ({
  model: 'any',
  speed: 0,
  times: { user: worked, nice: 0, sys: 0, irq: 0, idle },
});

test('bug: a recognizer took threads on busy cores, which waited for each other by spinning', (t) => {
  const before = [core(100, 0), core(100, 0), core(100, 0), core(100, 0)];
  const idle = core(100, 200);
  const busy = core(300, 0);
  const half = core(200, 100);
  t.is(idleBetween(before, [idle, idle, idle, idle], 4), 4);
  t.is(idleBetween(before, [busy, idle, busy, idle], 4), 2);
  t.is(idleBetween(before, [half, half, half, busy], 4), 2);
  t.is(idleBetween(before, [busy, busy, busy, busy], 4), 1, 'at least one');
  t.is(idleBetween(before, [idle, idle, idle, idle], 2), 2, 'no more than the process may use');
  t.is(idleBetween(before.slice(2), [idle, idle, idle, idle], 4), 2, 'cores that came meanwhile are left out');
  t.is(idleBetween(before, before, 4), 1);
});
