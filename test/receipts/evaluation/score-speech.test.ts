import test from 'ava';
import type { Range } from '../../../contract/base/grammar.ts';
import { speechCounts, speechScoreOf } from '../../../receipts/evaluation/score-speech.ts';
import { seededNumbers } from '../../storage/ledger/scratch.ts';

type Span = readonly [number, number];

const spans = (...pairs: readonly Span[]): Range[] => pairs.map(([startMs, endMs]) => ({ startMs, endMs }));
const within = (startMs: number, endMs: number): Range => ({ startMs, endMs });

test('a published example of pyannote.metrics comes out as published', (t) => {
  const labelled = spans([0, 5000], [6000, 10_000], [12_000, 14_000], [15_000, 20_000]);
  const found = spans([1000, 7000], [7000, 9000], [7000, 10_000], [11_000, 17_000], [18_000, 20_000]);
  const score = speechScoreOf(0, speechCounts(labelled, found, within(0, 20_000), 0));
  t.like(score, { labelledMs: 16_000, missedMs: 2000, falseAlarmMs: 3000, hitMs: 14_000, foundMs: 17_000 });
  t.is(score.detectionErrorRateMicro, 312_500);
  t.is(score.precisionMicro, 823_529);
  t.is(score.recallMicro, 875_000);
  t.is(score.f1Micro, 848_485);
});

test('a collar is centred on every labelled boundary, and nothing inside it counts for anybody', (t) => {
  const labelled = spans([1000, 3000]);
  const exact = speechCounts(labelled, labelled, within(0, 4000), 500);
  t.deepEqual(exact, { scoredMs: 3000, labelledMs: 1500, foundMs: 1500, hitMs: 1500 });
  t.deepEqual(speechCounts(labelled, spans([750, 3250]), within(0, 4000), 500), exact);
  const late = speechScoreOf(500, speechCounts(labelled, spans([1251, 3251]), within(0, 4000), 500));
  t.like(late, { missedMs: 1, falseAlarmMs: 1 });
});

test('collars of short speech may swallow it, and reach no further than the range', (t) => {
  t.deepEqual(speechCounts(spans([100, 400]), spans([0, 1000]), within(0, 1000), 500), {
    scoredMs: 350,
    labelledMs: 0,
    foundMs: 350,
    hitMs: 0,
  });
});

test('only the range is scored', (t) => {
  const counts = speechCounts(spans([0, 900], [950, 3000]), spans([500, 2500]), within(1000, 2000), 0);
  t.deepEqual(counts, { scoredMs: 1000, labelledMs: 1000, foundMs: 1000, hitMs: 1000 });
});

test('what cannot be divided has no ratio', (t) => {
  const nothing = speechScoreOf(0, speechCounts([], [], within(0, 1000), 0));
  t.like(nothing, { precisionMicro: null, recallMicro: null, f1Micro: null, detectionErrorRateMicro: null });
  const deaf = speechScoreOf(0, speechCounts(spans([0, 500]), [], within(0, 1000), 0));
  t.like(deaf, { precisionMicro: null, recallMicro: 0, f1Micro: 0, detectionErrorRateMicro: 1_000_000 });
  const hearing = speechScoreOf(0, speechCounts([], spans([0, 500]), within(0, 1000), 0));
  t.like(hearing, { precisionMicro: 0, recallMicro: null, f1Micro: 0, detectionErrorRateMicro: null });
});

test('a false alarm may make the error rate larger than one', (t) => {
  const score = speechScoreOf(0, speechCounts(spans([0, 100]), spans([0, 1000]), within(0, 1000), 0));
  t.is(score.detectionErrorRateMicro, 9_000_000);
});

/** Every millisecond looked at by itself. */
function countedOneByOne(labelled: readonly Range[], found: readonly Range[], range: Range, collarMs: number) {
  const counts = { scoredMs: 0, labelledMs: 0, foundMs: 0, hitMs: 0 };
  const is = (list: readonly Range[], ms: number) => list.some(({ startMs, endMs }) => startMs <= ms && ms < endMs);
  const isNear = (boundary: number, ms: number) => boundary - collarMs / 2 <= ms && ms < boundary + collarMs / 2;
  for (let ms = range.startMs; ms < range.endMs; ms += 1) {
    if (labelled.some(({ startMs, endMs }) => isNear(startMs, ms) || isNear(endMs, ms))) continue;
    const [truth, claim] = [is(labelled, ms), is(found, ms)];
    counts.scoredMs += 1;
    counts.labelledMs += truth ? 1 : 0;
    counts.foundMs += claim ? 1 : 0;
    counts.hitMs += truth && claim ? 1 : 0;
  }
  return counts;
}

test('any speech is counted as if every millisecond were looked at', (t) => {
  const below = seededNumbers(7);
  const some = (most: number): Range[] => {
    const list: Range[] = [];
    for (let at = below(40); list.length < most; at += below(60)) {
      const endMs = at + 1 + below(50);
      list.push({ startMs: at, endMs });
      at = endMs;
    }
    return list;
  };
  for (let round = 0; round < 200; round += 1) {
    const [labelled, found, collarMs] = [some(below(6)), some(below(6)), 2 * below(20)];
    const range = within(below(50), 100 + below(300));
    t.deepEqual(speechCounts(labelled, found, range, collarMs), countedOneByOne(labelled, found, range, collarMs));
  }
});
