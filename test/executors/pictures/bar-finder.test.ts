import test from 'ava';
import { BAR_RULE, BarFinder, type FoundBars, type Visible } from '../../../executors/pictures/bar-finder.ts';

const size = { width: 1920, height: 1080 };
const whole: Visible = { left: 0, top: 0, right: 1920, bottom: 1080 };
const boxed: Visible = { left: 0, top: 140, right: 1920, bottom: 940 };
const dark: Visible = { left: 700, top: 300, right: 1300, bottom: 800 };

/** What is found in runs of pictures that show the same, one every half second: `[visible, pictures]`. */
function found(...runs: readonly (readonly [Visible | null, number])[]): FoundBars[] {
  const all: FoundBars[] = [];
  const finder = new BarFinder((bars) => all.push(bars));
  let pictures = 0;
  for (const [visible, length] of runs) {
    for (let at = 0; at < length; at += 1) finder.add({ atMs: BAR_RULE.sampleMs * pictures++, visible, size });
  }
  finder.end(BAR_RULE.sampleMs * pictures);
  return all;
}

test('bars that stay for five seconds are found, and shorter ones are not', (t) => {
  t.like(found([boxed, 10]), [{ startMs: 0, endMs: 5000, visible: boxed, agreeing: 1 }]);
  t.deepEqual(found([boxed, 9]), []);
  t.deepEqual(found([whole, 40]), []);
});

test('dark and black pictures neither end bars nor are bars', (t) => {
  t.like(found([dark, 15], [boxed, 20], [dark, 12], [null, 3], [boxed, 10]), [
    { startMs: 0, endMs: 30_000, visible: boxed, agreeing: 30 / 57 },
  ]);
  t.deepEqual(found([dark, 40]), []);
});

test('bars end where something is seen in them, and begin again', (t) => {
  t.like(found([boxed, 20], [whole, 20], [boxed, 20]), [
    { startMs: 0, endMs: 10_000, visible: boxed },
    { startMs: 20_000, endMs: 30_000, visible: boxed, agreeing: 1 },
  ]);
});

test('an edge that wavers by a few pixels is one edge', (t) => {
  const wavering = { ...boxed, top: 142, bottom: 938 };
  t.like(found([boxed, 6], [wavering, 3], [boxed, 3]), [{ startMs: 0, endMs: 6000, visible: boxed, agreeing: 1 }]);
});

test('what is uneven, or far smaller than the picture, is no bar', (t) => {
  t.deepEqual(found([{ ...boxed, top: 300, bottom: 1080 }, 20]), []);
  t.deepEqual(found([{ ...whole, left: 700, right: 1220 }, 20]), []);
});
