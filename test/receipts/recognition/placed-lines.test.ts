import test from 'ava';
import type { RawLine } from '../../../contract/recognition/raw-region.ts';
import { placedTranscript } from '../../../receipts/recognition/placed-lines.ts';

const measures = { confidence: null, averageLogProbability: null, compressionRatio: null, noSpeechProbability: null };
const heard = { samples: 16, contentId: `sha256:${'0'.repeat(64)}` };

const raw = (text: string, startMs: number | null, endMs: number | null, words: RawLine['words'] = []): RawLine => ({
  ...{ text, startMs, endMs, words, measures },
});

const placed = (...lines: RawLine[]) =>
  placedTranscript([{ startMs: 10_000, endMs: 12_000, heard, raw: { language: 'en', lines } }]).lines.map(
    ({ text, startMs, endMs, words }) => ({ text, startMs, endMs, words }),
  );

test('times count from the start of the source, and end with their region', (t) => {
  const words = [
    { text: 'one', startMs: -80, endMs: 300, confidence: 0.9 },
    { text: 'two', startMs: 1_900, endMs: 2_700, confidence: null },
    { text: 'three', startMs: null, endMs: null, confidence: 1 },
  ];
  t.deepEqual(placed(raw('one two three', -80, 2_700, words)), [
    {
      text: 'one two three',
      startMs: 10_000,
      endMs: 12_000,
      words: [
        { text: 'one', startMs: 10_000, endMs: 10_300, confidence: 0.9 },
        { text: 'two', startMs: 11_900, endMs: 12_000, confidence: null },
      ],
    },
  ]);
});

test('a line without times fills its region, and lines that overlap follow each other', (t) => {
  t.deepEqual(placed(raw('all of it', null, null)), [{ text: 'all of it', startMs: 10_000, endMs: 12_000, words: [] }]);
  const overlapping = placed(raw('later', 900, 1_500), raw('first', 0, 1_000), raw('inside', 950, 980));
  t.deepEqual(
    overlapping.map(({ text, startMs, endMs }) => [text, startMs, endMs]),
    [
      ['first', 10_000, 11_000],
      ['later', 11_000, 11_500],
      ['inside', 11_500, 11_500],
    ],
  );
});
