import test from 'ava';
import fc from 'fast-check';
import type { Range } from '../../contract/base/grammar.ts';
import { startedWithSpeech } from '../../rules/line-starts.ts';
import { isWithoutWordTimes, regionHolding, WINDOW_RULE, windowsOf } from '../../rules/recognition-windows.ts';
import { joined } from '../../rules/time-spans.ts';

const span = (startMs: number, endMs: number): Range => ({ startMs, endMs });
const joinedAs = (...regions: Range[]) =>
  windowsOf(regions, WINDOW_RULE).map((window) => [window.startMs, window.endMs, window.regions.length]);

test('neighbors are one window while the gap is at most 1 s and the whole at most 28 s', (t) => {
  t.deepEqual(joinedAs(), []);
  t.deepEqual(joinedAs(span(0, 1_000), span(2_000, 3_000), span(4_001, 5_000)), [
    [0, 3_000, 2],
    [4_001, 5_000, 1],
  ]);
  t.deepEqual(joinedAs(span(0, 15_000), span(15_500, 28_000), span(28_000, 29_000)), [
    [0, 28_000, 2],
    [28_000, 29_000, 1],
  ]);
  t.deepEqual(joinedAs(span(0, 15_000), span(15_500, 28_001)), [
    [0, 15_000, 1],
    [15_500, 28_001, 1],
  ]);
  t.deepEqual(joinedAs(span(0, 30_000), span(30_000, 31_000), span(31_500, 32_000)), [
    [0, 30_000, 1],
    [30_000, 32_000, 2],
  ]);
});

const line = (startMs: number, endMs: number, ...words: Range[]) => ({ startMs, endMs, words });

test('a line belongs to the region that holds most of its words, else of its time, else to the nearest', (t) => {
  const regions = [span(0, 2_000), span(2_800, 5_000), span(5_900, 8_000)];
  t.is(regionHolding(line(1_500, 4_000, span(1_500, 2_000), span(2_900, 4_000)), regions), 1);
  t.is(
    regionHolding(line(0, 4_000, span(500, 1_900), span(3_000, 3_300)), regions),
    0,
    'its words say more than its time',
  );
  t.is(regionHolding(line(1_000, 4_000), regions), 1);
  t.is(regionHolding(line(2_100, 2_300), regions), 0);
  t.is(regionHolding(line(5_600, 5_700), regions), 2);
  t.is(
    regionHolding(line(1_500, 3_300, span(1_500, 2_000), span(2_800, 3_300)), regions),
    0,
    'the first of equal ones',
  );
});

test('an answer of which no word has a time cannot be divided', (t) => {
  const untimed = { words: [{ startMs: null }] };
  t.false(isWithoutWordTimes({ lines: [] }));
  t.true(isWithoutWordTimes({ lines: [{ words: [] }, untimed] }));
  t.false(isWithoutWordTimes({ lines: [untimed, { words: [{ startMs: 0 }] }] }));
});

const speech = [span(200, 2_000), span(3_000, 5_000)];
const window = span(0, 5_200);
const started = (...lines: ReturnType<typeof line>[]) =>
  startedWithSpeech(lines, window, speech).map(({ startMs, endMs, words }) =>
    line(startMs, endMs, ...words.map((word) => span(word.startMs, word.endMs))),
  );

test('bug: a line began in the padding, or in the pause before its first word', (t) => {
  t.deepEqual(started(line(0, 1_900, span(0, 500), span(500, 1_900))), [
    line(200, 1_900, span(200, 500), span(500, 1_900)),
  ]);
  t.deepEqual(started(line(0, 2_300, span(200, 2_000)), line(2_300, 4_000, span(2_300, 3_400), span(3_400, 4_000))), [
    line(200, 2_300, span(200, 2_000)),
    line(3_000, 4_000, span(3_000, 3_400), span(3_400, 4_000)),
  ]);
  t.deepEqual(started(line(0, 1_900)), [line(200, 1_900)], 'a line without words');
  t.deepEqual(started(line(2_700, 2_900, span(2_700, 2_900))), [line(3_000, 3_000, span(3_000, 3_000))]);
});

test('bug: a sentence whose first word whisper-cli has begin with the pause began half a second early', (t) => {
  const before = line(200, 2_000, span(200, 2_000));
  // Nearer to the speech before it than to its own.
  t.deepEqual(started(before, line(2_030, 4_000, span(2_030, 2_200), span(2_200, 2_600), span(2_600, 4_000))), [
    before,
    line(3_000, 4_000, span(3_000, 3_000), span(3_000, 3_000), span(3_000, 4_000)),
  ]);
  // The last word of a sentence, in the pause behind it, stays there.
  const last = line(200, 2_300, span(200, 2_030), span(2_030, 2_300));
  t.deepEqual(started(last)[0], last);
});

test('the first word of a stretch of speech that is a little late begins with it, and no other word', (t) => {
  const before = line(200, 3_400, span(200, 2_000));
  t.deepEqual(started(before, line(3_400, 4_000, span(3_550, 4_000))), [
    { ...before, endMs: 3_000 },
    line(3_000, 4_000, span(3_000, 4_000)),
  ]);
  t.deepEqual(started(line(3_601, 4_000, span(3_601, 4_000))), [line(3_601, 4_000, span(3_601, 4_000))]);
  const second = line(600, 1_500, span(600, 1_500));
  t.deepEqual(started(line(200, 500, span(200, 500)), second)[1], second);
});

test('speech that began before its window does not begin with it', (t) => {
  const later = line(1_000, 1_500, span(1_000, 1_500));
  t.deepEqual(startedWithSpeech([later], span(900, 3_000), [span(0, 2_000)]), [later]);
});

/** Longer than all lines of an example together. */
const wholeMs = 50_000;

/** Lines in order and apart with their words, as they are placed. */
const placedLines = fc
  .array(fc.array(fc.tuple(fc.nat(900), fc.nat(900)), { maxLength: 4 }), { maxLength: 6 })
  .map((lengths) => {
    let at = 0;
    return lengths.map((words) => {
      const startMs = at;
      const timed = words.map(([pause, length]) => {
        at += pause + length;
        return span(at - length, at);
      });
      at += 50;
      return line(startMs, at, ...timed);
    });
  });
const spoken = fc
  .array(fc.tuple(fc.nat(wholeMs - 5_000), fc.integer({ min: 1, max: 3_000 })))
  .map((spans) => joined(spans.map(([startMs, length]) => span(startMs, startMs + length))));

test('lines with set starts stay in order, apart and in their window, and the rule leaves them as they are', (t) => {
  fc.assert(
    fc.property(placedLines, spoken, (lines, stretches) => {
      const whole = span(0, wholeMs);
      const set = startedWithSpeech(lines, whole, stretches);
      t.deepEqual(startedWithSpeech(set, whole, stretches), set);
      for (const [at, each] of set.entries()) {
        t.true(each.startMs <= each.endMs && each.endMs <= whole.endMs);
        t.true(each.startMs >= (set[at - 1]?.endMs ?? 0));
        for (const word of each.words)
          t.true(each.startMs <= word.startMs && word.startMs <= word.endMs && word.endMs <= each.endMs);
      }
    }),
    { seed: 1, numRuns: 300 },
  );
});
