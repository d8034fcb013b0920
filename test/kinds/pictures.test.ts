import test from 'ava';
import { type ChosenKeyframe, KeyframeFinder } from '../../kinds/keyframes.ts';
import { BAR_RULE, BarFinder, type FoundBars, type Visible } from '../../kinds/letterbox.ts';
import type { Meters } from '../../kinds/meters.ts';
import { SMALL_BYTES, smallPicture } from '../../kinds/pictures/small-picture.ts';
import { shotChanges } from '../../kinds/shot-changes.ts';
import { transitions } from '../../kinds/transitions.ts';
import { metersOver } from './meters-for-tests.ts';

const even = (value: number): Uint8Array => new Uint8Array(SMALL_BYTES).fill(value);

/** Four seconds of pictures from the second second on; what is not said is gray, and never quite the same. */
async function shown(valueAt: (ms: number) => number | null, range = { startMs: 1000, endMs: 5000 }): Promise<Meters> {
  const { meters } = metersOver(range);
  for (let ms = 0; ms < 6000; ms += 40) meters.picture(smallPicture(ms, even(valueAt(ms) ?? 120 + ((ms / 40) % 2))));
  await meters.end();
  return meters;
}

test('black pictures are a range with their share, cut to the range that is studied', async (t) => {
  const facts = await shown((ms) => (ms < 1400 || (ms >= 2000 && ms < 2160) ? 10 : null));
  t.deepEqual(facts.facts('black_frames'), [{ kind: 'black', index: 0, startMs: 1000, endMs: 1400, blackMilli: 1000 }]);
});

test('pictures that do not change for two seconds are frozen', async (t) => {
  const facts = await shown((ms) => (ms >= 2000 && ms < 4200 ? 90 : null));
  t.deepEqual(facts.facts('frozen_frames'), [{ kind: 'frozen', index: 0, startMs: 2000, endMs: 4200, changeMilli: 0 }]);
  t.deepEqual((await shown((ms) => (ms >= 2000 && ms < 3900 ? 90 : null))).facts('frozen_frames'), []);
});

test('a flash is a fact of its own, and flashes that follow each other are one strobe', async (t) => {
  const once = await shown((ms) => (ms >= 2000 && ms < 2080 ? 250 : null));
  t.deepEqual(once.facts('transitions'), [{ kind: 'flash', index: 0, startMs: 2000, endMs: 2080 }]);
  const strobe = await shown((ms) => (ms >= 2000 && ms < 2800 && ms % 200 < 80 ? 250 : null));
  t.deepEqual(strobe.facts('transitions'), [{ kind: 'strobe', index: 0, startMs: 2000, endMs: 2680, flashes: 4 }]);
  for (const facts of [once, strobe]) t.deepEqual(facts.facts('shot_changes'), []);
});

const range = { startMs: 1000, endMs: 31_000 };
const jpeg = new Uint8Array();

/** The choices for these cuts, as [start, end, time]; candidates come every 200 ms from before the range on. */
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
  const times = found.map(({ atMs }) => atMs);
  t.deepEqual(times, [1400, 7000]);
});

const size = { width: 1920, height: 1080 };
const wholePicture: Visible = { left: 0, top: 0, right: 1920, bottom: 1080 };
const boxed: Visible = { left: 0, top: 140, right: 1920, bottom: 940 };
const dark: Visible = { left: 700, top: 300, right: 1300, bottom: 800 };

/** The runs of pictures that show the same, one picture every half second: `[visible, pictures]`. */
function barsIn(...runs: readonly (readonly [Visible | null, number])[]): FoundBars[] {
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
  t.like(barsIn([boxed, 10]), [{ startMs: 0, endMs: 5000, visible: boxed, agreeing: 1 }]);
  t.deepEqual(barsIn([boxed, 9]), []);
  t.deepEqual(barsIn([wholePicture, 40]), []);
});

test('dark and black pictures neither end bars nor are bars', (t) => {
  t.like(barsIn([dark, 15], [boxed, 20], [dark, 12], [null, 3], [boxed, 10]), [
    { startMs: 0, endMs: 30_000, visible: boxed, agreeing: 30 / 57 },
  ]);
  t.deepEqual(barsIn([dark, 40]), []);
});

test('bars end where something is seen in them, and begin again', (t) => {
  t.like(barsIn([boxed, 20], [wholePicture, 20], [boxed, 20]), [
    { startMs: 0, endMs: 10_000, visible: boxed },
    { startMs: 20_000, endMs: 30_000, visible: boxed, agreeing: 1 },
  ]);
});

test('an edge that wavers by a few pixels is one edge', (t) => {
  const wavering = { ...boxed, top: 142, bottom: 938 };
  t.like(barsIn([boxed, 6], [wavering, 3], [boxed, 3]), [{ startMs: 0, endMs: 6000, visible: boxed, agreeing: 1 }]);
});

test('a bar must be even and nearly as wide as the picture', (t) => {
  t.deepEqual(barsIn([{ ...boxed, top: 300, bottom: 1080 }, 20]), []);
  t.deepEqual(barsIn([{ ...wholePicture, left: 700, right: 1220 }, 20]), []);
});

test('the grade of a cut follows from its score and the bound that its evidence states', (t) => {
  const cut = { kind: 'shot_change', index: 0, atMs: 1000, scoreMilli: 1999 } as const;
  const at = (fact: object, parameters: Readonly<Record<string, number>> = { uncertainBelowMilli: 2000 }) =>
    shotChanges.contradiction?.({ input: { range }, parameters, facts: [{ ...cut, ...fact }] }) ?? null;
  t.is(at({ grade: 'uncertain' }), null);
  t.is(at({}), 'facts[0].grade');
  t.is(at({ scoreMilli: 2000 }), null);
  t.is(at({ scoreMilli: 2000, grade: 'uncertain' }), 'facts[0].grade');
  // Evidence of earlier versions states no bound and has no grades.
  t.is(at({}, {}), null);
  t.is(at({ grade: 'uncertain' }, {}), 'facts[0].grade');
});

test('the grade of a transition follows from what its form leaves unexplained', (t) => {
  const change = { kind: 'transition', index: 0, startMs: 1000, endMs: 2000, form: 'wipe' } as const;
  const at = (fact: { unexplainedMilli: number; grade?: 'uncertain' }, parameters: Readonly<Record<string, number>>) =>
    transitions.contradiction?.({ input: { range }, parameters, facts: [{ ...change, ...fact }] }) ?? null;
  t.is(at({ unexplainedMilli: 201, grade: 'uncertain' }, { uncertainAboveMilli: 200 }), null);
  t.is(at({ unexplainedMilli: 201 }, { uncertainAboveMilli: 200 }), 'facts[0].grade');
  t.is(at({ unexplainedMilli: 200, grade: 'uncertain' }, { uncertainAboveMilli: 200 }), 'facts[0].grade');
  t.is(at({ unexplainedMilli: 201 }, {}), null);
});

test('a summary says how many cuts and transitions are uncertain', (t) => {
  const cut = (atMs: number, scoreMilli: number, grade?: 'uncertain') =>
    ({ kind: 'shot_change', index: 0, atMs, scoreMilli, ...(grade && { grade }) }) as const;
  t.is(shotChanges.found([cut(1000, 9000), cut(2000, 1900, 'uncertain')], range).brief, '2 cuts, 1 uncertain');
  t.is(shotChanges.found([cut(1000, 9000)], range).brief, '1 cut');
  const change = { kind: 'transition', index: 0, startMs: 1000, endMs: 2000, unexplainedMilli: 250 } as const;
  const found = transitions.found([{ ...change, form: 'dissolve', grade: 'uncertain' }], range);
  t.is(found.brief, '1 dissolve, 1 uncertain');
});
