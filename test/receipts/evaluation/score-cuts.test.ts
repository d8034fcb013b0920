import test from 'ava';
import { cutCounts, cutScoreOf } from '../../../receipts/evaluation/score-cuts.ts';
import { seededNumbers } from '../../storage/ledger/scratch.ts';

const pal = { numerator: 25, denominator: 1 };
const ntsc = { numerator: 30_000, denominator: 1001 };

const matched = (atMs: readonly number[], found: readonly number[], tolerance: number, frameRate = pal) =>
  cutCounts({ atMs: [...atMs], frameRate }, found, tolerance).matched;

test('a cut within the tolerance is found, one beyond it is not', (t) => {
  for (const [tolerance, expected] of [
    [0, 1],
    [1, 2],
    [2, 3],
  ] as const) {
    t.is(matched([1000, 2000, 3000], [1000, 2040, 2920], tolerance), expected);
  }
});

test('a found cut stands for one label only, and a label for one found cut', (t) => {
  t.is(matched([1000, 1040], [1040], 2), 1);
  t.is(matched([1000], [960, 1000, 1040], 2), 1);
});

test('as many cuts are paired as can be, not each with its nearest', (t) => {
  t.is(matched([1000, 1040], [1040, 1080], 1), 2);
  t.is(matched([1000, 1080], [1040, 1120], 1), 2);
});

test('less than half a frame is the rounding of times to whole milliseconds', (t) => {
  // Frames 1 and 2 of 29.97 lie at 33.37 and 66.73 ms.
  t.is(matched([33], [34], 0, ntsc), 1);
  t.is(matched([33], [67], 0, ntsc), 0);
  t.is(matched([33], [67], 1, ntsc), 1);
});

test('precision and recall are those of the pairs', (t) => {
  const score = cutScoreOf(1, { labelled: 4, found: 3, matched: 2 });
  t.like(score, { toleranceFrames: 1, precisionMicro: 666_667, recallMicro: 500_000, f1Micro: 571_429 });
  t.like(cutScoreOf(0, { labelled: 0, found: 0, matched: 0 }), {
    precisionMicro: null,
    recallMicro: null,
    f1Micro: null,
  });
});

/** The largest pairing of all, by trying every one. */
function largestPairing(
  labels: readonly number[],
  found: readonly number[],
  reaches: (a: number, b: number) => boolean,
) {
  const [label, ...others] = labels;
  if (label === undefined) return 0;
  let largest: number = largestPairing(others, found, reaches);
  for (const [at, cut] of found.entries()) {
    if (reaches(label, cut)) largest = Math.max(largest, 1 + largestPairing(others, found.toSpliced(at, 1), reaches));
  }
  return largest;
}

test('no other pairing is larger', (t) => {
  const below = seededNumbers(3);
  const times = () => [...new Set(Array.from({ length: below(7) }, () => 40 * below(20)))].sort((a, b) => a - b);
  for (let round = 0; round < 300; round += 1) {
    const [labels, found, tolerance] = [times(), times(), below(4)];
    const reaches = (a: number, b: number) => Math.abs(a - b) <= 40 * tolerance;
    t.is(matched(labels, found, tolerance), largestPairing(labels, found, reaches));
  }
});
