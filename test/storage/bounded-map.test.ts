import test from 'ava';
import { BoundedMap } from '../../storage/bounded-map.ts';

test('the entry used longest ago goes when there is one too many', (t) => {
  const map = new BoundedMap<string, number>(2);
  map.set('a', 1);
  map.set('b', 2);
  t.is(map.get('a'), 1);
  map.set('c', 3);
  t.deepEqual(
    ['a', 'b', 'c'].map((key) => map.get(key)),
    [1, undefined, 3],
  );
});

test('entries are weighed, and as many go as a heavy one needs', (t) => {
  const map = new BoundedMap<string, number>(10, (value) => value);
  for (const key of ['a', 'b', 'c']) map.set(key, 3);
  map.set('d', 6);
  t.deepEqual(
    ['a', 'b', 'c', 'd'].map((key) => map.get(key)),
    [undefined, undefined, 3, 6],
  );
});

test('an entry that is replaced or deleted weighs nothing any more', (t) => {
  const map = new BoundedMap<string, number>(10, (value) => value);
  map.set('a', 8);
  map.set('a', 2);
  map.set('b', 8);
  t.is(map.get('a'), 2);
  map.delete('b');
  map.set('c', 8);
  t.is(map.get('a'), 2);
});

test('an entry heavier than all that the map may hold is not kept', (t) => {
  const map = new BoundedMap<string, number>(10, (value) => value);
  map.set('a', 11);
  t.is(map.get('a'), undefined);
  map.set('b', 10);
  t.is(map.get('b'), 10);
});
