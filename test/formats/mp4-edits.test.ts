import test from 'ava';
import { areCuts, shownBy } from '../../formats/mp4-edits.ts';

const whole = { fromMs: 0, toMs: 10_000, atMs: 0 };

test('a track that begins later is not cut, one without its beginning is, and so is one in two parts', (t) => {
  t.false(areCuts([]));
  t.false(areCuts([{ ...whole, atMs: 1500 }]));
  t.true(areCuts([{ ...whole, fromMs: 2500 }]));
  t.true(areCuts([whole, { fromMs: 0, toMs: 2000, atMs: 10_000 }]));
});

test('a passage is shown where each edit shows it, as far as it lies in the edit', (t) => {
  const cue = { startMs: 1000, endMs: 4800 };
  t.deepEqual(shownBy([{ fromMs: 2500, toMs: 16_000, atMs: 0 }], cue), [{ startMs: 0, endMs: 2300 }]);
  t.deepEqual(shownBy([{ fromMs: 5000, toMs: 16_000, atMs: 0 }], cue), []);
  t.deepEqual(shownBy([{ fromMs: 0, toMs: Number.POSITIVE_INFINITY, atMs: 700 }], cue), [
    { startMs: 1700, endMs: 5500 },
  ]);
  const parts = [
    { fromMs: 0, toMs: 2000, atMs: 0 },
    { fromMs: 4000, toMs: 6000, atMs: 2000 },
  ];
  t.deepEqual(shownBy(parts, cue), [
    { startMs: 1000, endMs: 2000 },
    { startMs: 2000, endMs: 2800 },
  ]);
});
