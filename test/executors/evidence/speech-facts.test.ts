import test from 'ava';
import { speechFacts } from '../../../executors/evidence/speech-facts.ts';

test('windows and what is between them cover the range once, on the time line of the source', (t) => {
  const facts = speechFacts(
    [
      { start: 100, end: 900 },
      { start: 900, end: 1000 },
      { start: 1500, end: 1600 },
    ],
    { startMs: 2000, endMs: 2100 },
  );
  t.deepEqual(
    facts.map(({ kind, index, startSample, endSample }) => [kind, index, startSample - 32_000, endSample - 32_000]),
    [
      ['non_speech_window', 0, 0, 100],
      ['speech_window', 0, 100, 900],
      ['speech_window', 1, 900, 1000],
      ['non_speech_window', 1, 1000, 1500],
      ['speech_window', 2, 1500, 1600],
    ],
  );
  t.deepEqual(
    facts.map(({ startMs, endMs }) => [startMs, endMs]),
    [
      [2000, 2007],
      [2006, 2057],
      [2056, 2063],
      [2062, 2094],
      [2093, 2100],
    ],
  );
});

test('a range without speech is one window of non-speech', (t) => {
  t.deepEqual(speechFacts([], { startMs: 7, endMs: 8 }), [
    { kind: 'non_speech_window', index: 0, startSample: 112, endSample: 128, startMs: 7, endMs: 8 },
  ]);
});

test('what lies beyond the range is cut off, and a signal shorter than the range ends in non-speech', (t) => {
  const range = { startMs: 0, endMs: 10 };
  t.deepEqual(
    speechFacts([{ start: 0, end: 500 }], range).map(({ kind, endSample }) => [kind, endSample]),
    [['speech_window', 160]],
  );
  t.deepEqual(
    speechFacts([{ start: 0, end: 50 }], range).map(({ kind, endSample }) => [kind, endSample]),
    [
      ['speech_window', 50],
      ['non_speech_window', 160],
    ],
  );
});
