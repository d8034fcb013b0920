import test from 'ava';
import { pairCues, subtitleCounts, subtitleScoreOf } from '../../../receipts/evaluation/score-subtitles.ts';

type Written = readonly [startMs: number, endMs: number, text: string];

const cues = (...written: readonly Written[]) => written.map(([startMs, endMs, text]) => ({ startMs, endMs, text }));
const pairs = (labelled: readonly Written[], found: readonly Written[]) =>
  pairCues(cues(...labelled), cues(...found)).map((pair) => [pair.labelled, pair.found]);

const three: readonly Written[] = [
  [0, 1000, 'one'],
  [1000, 2000, 'two'],
  [2000, 3000, 'three'],
];

test('equal cues are all exact', (t) => {
  const score = subtitleScoreOf(subtitleCounts(cues(...three), cues(...three)));
  t.like(score, { labelled: 3, found: 3, matched: 3, exact: 3, meanErrorUs: 0, largestErrorMs: 0, f1Micro: 1_000_000 });
});

test('a cue with the right text at another time is matched, not exact, and its errors are counted', (t) => {
  const late: readonly Written[] = [
    [0, 1000, 'one'],
    [1010, 1970, 'two'],
    [2000, 3000, 'three'],
  ];
  const score = subtitleScoreOf(subtitleCounts(cues(...three), cues(...late)));
  t.like(score, { matched: 3, exact: 2, startErrorMs: 10, endErrorMs: 30, largestErrorMs: 30, meanErrorUs: 6667 });
  t.is(score.precisionMicro, 666_667);
});

test('missing, additional and changed cues count against one side only', (t) => {
  t.like(subtitleCounts(cues(...three), cues(...three.slice(1))), { labelled: 3, found: 2, exact: 2 });
  t.like(subtitleCounts(cues(...three.slice(1)), cues(...three)), { labelled: 2, found: 3, exact: 2 });
  t.like(subtitleCounts(cues([0, 1, 'a']), cues([0, 1, 'b'])), { matched: 0, exact: 0, startErrorMs: 0 });
});

test('nothing found has no mean error', (t) => {
  t.like(subtitleScoreOf(subtitleCounts(cues(...three), [])), {
    meanErrorUs: null,
    precisionMicro: null,
    recallMicro: 0,
  });
});

test('of cues with the same text the nearest are paired', (t) => {
  const labelled: readonly Written[] = [
    [0, 100, 'yes'],
    [5000, 5100, 'yes'],
  ];
  t.deepEqual(pairs(labelled, [[5001, 5101, 'yes']]), [[1, 0]]);
  t.deepEqual(pairs(labelled, [[1, 101, 'yes']]), [[0, 0]]);
});

test('pairs never cross, and more of them are better than nearer ones', (t) => {
  const swapped: readonly Written[] = [
    [0, 1000, 'two'],
    [1000, 2000, 'one'],
    [2000, 3000, 'three'],
  ];
  t.is(pairs(three, swapped).length, 2);
  const labelled: readonly Written[] = [
    [0, 100, 'a'],
    [100, 200, 'b'],
    [200, 300, 'a'],
  ];
  const found: readonly Written[] = [
    [200, 300, 'a'],
    [300, 400, 'b'],
  ];
  t.deepEqual(pairs(labelled, found), [
    [0, 0],
    [1, 1],
  ]);
});
