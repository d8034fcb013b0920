import test from 'ava';
import { WorkQueue } from '../../../actors/supervision/work-queue.ts';

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
