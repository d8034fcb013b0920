import test from 'ava';
import { type ChosenKeyframe, KeyframeFinder } from '../../../executors/pictures/keyframe-finder.ts';

const range = { startMs: 1000, endMs: 31_000 };
const jpeg = new Uint8Array();

/** What is chosen for these cuts, as [start, end, time], where candidates come every 200 ms from before the range on. */
function chosen(cuts: readonly number[], { withoutFrom = 40_000, withoutTo = 40_000 } = {}) {
  const found: ChosenKeyframe[] = [];
  const finder = new KeyframeFinder(range, (keyframe) => found.push(keyframe));
  for (let ms = 0; ms <= 32_000; ms += 200) {
    if (ms < withoutFrom || ms >= withoutTo) finder.candidate({ atMs: ms, jpeg });
    for (const cut of cuts) if (cut > ms - 950 && cut <= ms - 750) finder.cut(cut);
    finder.decided(ms - 750);
  }
  finder.end();
  return found.map(({ startMs, endMs, atMs }) => [startMs, endMs, atMs]);
}

test('a long shot has a keyframe every ten seconds, each in the middle of what it stands for', (t) => {
  t.deepEqual(chosen([]), [
    [1000, 11_000, 6000],
    [11_000, 21_000, 16_000],
    [21_000, 31_000, 26_000],
  ]);
});

test('each shot has one, however short, and pieces are counted from its first picture', (t) => {
  t.deepEqual(chosen([1400, 5000, 18_000]), [
    [1000, 1400, 1200],
    [1400, 5000, 3200],
    [5000, 15_000, 10_000],
    [15_000, 18_000, 16_400],
    [18_000, 28_000, 23_000],
    [28_000, 31_000, 29_400],
  ]);
});

test('the short rest of a shot has none, and takes no candidate from the next one', (t) => {
  t.deepEqual(chosen([12_500]).slice(0, 2), [
    [1000, 11_000, 6000],
    [12_500, 22_500, 17_400],
  ]);
});

test('a cut outside the range, or on its first picture, divides nothing', (t) => {
  t.deepEqual(chosen([400, 1000, 31_000]), chosen([]));
});

test('a piece without candidates has no keyframe', (t) => {
  t.deepEqual(chosen([], { withoutFrom: 11_000, withoutTo: 21_000 }), [
    [1000, 11_000, 6000],
    [21_000, 31_000, 26_000],
  ]);
});

test('candidates that are far ahead of the cuts are kept until these are decided', (t) => {
  const found: ChosenKeyframe[] = [];
  const finder = new KeyframeFinder(range, (keyframe) => found.push(keyframe));
  for (let ms = 1000; ms < 31_000; ms += 200) finder.candidate({ atMs: ms, jpeg });
  t.deepEqual(found, []);
  finder.cut(2000);
  finder.decided(12_500);
  t.deepEqual(
    found.map(({ atMs }) => atMs),
    [1400, 7000],
  );
});
