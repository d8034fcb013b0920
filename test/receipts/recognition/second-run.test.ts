import test from 'ava';
import { secondRegion, secondTexts } from '../../../receipts/recognition/second-run.ts';

test('a region is heard wider the second time, within its range and the longest region', (t) => {
  const range = { startMs: 1000, endMs: 60_000 };
  t.deepEqual(secondRegion({ startMs: 5000, endMs: 9000 }, range), { startMs: 4800, endMs: 9200 });
  t.deepEqual(secondRegion({ startMs: 1000, endMs: 2000 }, range), { startMs: 1000, endMs: 2200 });
  t.deepEqual(secondRegion({ startMs: 59_900, endMs: 60_000 }, range), { startMs: 59_700, endMs: 60_000 });
  t.deepEqual(secondRegion({ startMs: 5000, endMs: 34_900 }, range), { startMs: 4800, endMs: 34_900 });
});

test('each line has the words that the second run made of it, however that cut its lines', (t) => {
  const first = ['we have to bring the boxes', 'before it rains'];
  t.deepEqual(secondTexts(first, ['We have to bring', 'the foxes before it rains.']), [
    'we have to bring the foxes',
    'before it rains',
  ]);
});

test('words that only the wider sound has are not held against a line', (t) => {
  t.deepEqual(secondTexts(['he closed the door'], ['and then he closed the door last night']), ['he closed the door']);
  t.deepEqual(secondTexts(['he closed the door'], ['he never closed the door']), ['he never closed the door']);
});

test('a line of which the second run made nothing has an empty text', (t) => {
  t.deepEqual(secondTexts(['he closed the door'], []), ['']);
  t.deepEqual(secondTexts([], ['he closed the door']), []);
});

test('of a phrase that recognisers invent the second run says nothing', (t) => {
  t.deepEqual(secondTexts(['Thank you for watching', 'good night'], ['thank you for watching', 'good night']), [
    null,
    'good night',
  ]);
});
