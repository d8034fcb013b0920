import test from 'ava';
import { WorkerLine } from '../../../actors/supervision/worker-line.ts';

const lineOf = (capacity: number) => {
  const granted: string[] = [];
  return { granted, line: new WorkerLine(capacity, (id) => granted.push(id)) };
};

test('workers are granted first come, first served, as many as there are', (t) => {
  const { line, granted } = lineOf(2);
  line.open();
  for (const id of ['a', 'b', 'c', 'd']) line.wait(id, line.nextTicket());
  t.deepEqual(granted, ['a', 'b']);
  line.leave('b');
  t.deepEqual(granted, ['a', 'b', 'c']);
  line.leave('a');
  line.leave('c');
  t.deepEqual(granted, ['a', 'b', 'c', 'd']);
});

test('until it opens, the line only fills, in the order of the tickets', (t) => {
  const { line, granted } = lineOf(1);
  for (const [id, ticket] of Object.entries({ late: 9, early: 2, middle: 5 })) line.wait(id, ticket);
  t.deepEqual(granted, []);
  t.is(line.nextTicket(), 10);
  line.wait('new', 10);
  line.open();
  for (const id of ['early', 'middle', 'late']) line.leave(id);
  t.deepEqual(granted, ['early', 'middle', 'late', 'new']);
});

test('work that had begun keeps its worker, even beyond the number of workers', (t) => {
  const { line, granted } = lineOf(1);
  line.occupy('a');
  line.occupy('b');
  line.occupy('b');
  line.wait('c', 1);
  line.open();
  line.leave('a');
  t.deepEqual(granted, []);
  line.leave('b');
  t.deepEqual(granted, ['c']);
});

test('who leaves the line is passed over, and who is not in it leaves without a trace', (t) => {
  const { line, granted } = lineOf(1);
  line.open();
  for (const id of ['a', 'b', 'c']) line.wait(id, line.nextTicket());
  line.leave('b');
  line.leave('nobody');
  line.leave('a');
  t.deepEqual(granted, ['a', 'c']);
});

test('who joins again keeps one place, and gives back a worker that was not taken', (t) => {
  const { line, granted } = lineOf(1);
  line.open();
  line.wait('a', 1);
  line.wait('b', 2);
  line.wait('b', 2);
  line.wait('a', 1);
  t.deepEqual(granted, ['a', 'a']);
  line.leave('a');
  line.leave('b');
  t.deepEqual(granted, ['a', 'a', 'b']);
});
