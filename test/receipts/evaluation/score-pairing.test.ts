import test from 'ava';
import { pairingCounts, pairingScoreOf } from '../../../receipts/evaluation/score-pairing.ts';
import { screenTextCounts, screenTextScoreOf } from '../../../receipts/evaluation/score-screen-texts.ts';

const label = {
  sourceLanguage: 'en',
  targetLanguage: 'de',
  lines: [
    { source: 'Come in, please.', target: 'Bitte kommen Sie herein.' },
    { source: 'It is late.', target: 'Es ist spät.' },
    { source: 'Good night.', target: null },
    { source: 'See you.', target: 'Bis bald.' },
  ],
};

test('a pair is right where both sides are of the same lines, in one line of captions or several', (t) => {
  const shown = [
    { source: 'Come in, please.\nIt is late.', target: 'Bitte kommen Sie herein. Es ist spät.' },
    { source: 'Good night. See you.', target: 'Bis bald.' },
  ];
  const score = pairingScoreOf(pairingCounts(label, shown));
  t.like(score, { files: 1, captioned: 1, lines: 2, rightLines: 2, words: 17, keptWords: 17, keptMicro: 1_000_000 });
});

test('a pair of two different lines is wrong, and its words are not kept', (t) => {
  const shown = [
    { source: 'Come in, please.', target: 'Es ist spät.' },
    { source: 'See you.', target: 'Bis bald.' },
  ];
  const score = pairingScoreOf(pairingCounts(label, shown));
  t.like(score, { lines: 2, rightLines: 1, words: 17, keptWords: 4, rightMicro: 500_000 });
});

test('a file without a line has no captions', (t) => {
  t.like(pairingScoreOf(pairingCounts(label, [])), { captionedMicro: 0, keptMicro: 0, rightMicro: null });
});

const text = (startMs: number, endMs: number, words: string, outcome: 'passed' | 'withheld' = 'passed') => ({
  ...{ startMs, endMs, text: words, outcome },
});

test('texts on the screen are found, wrong or invented; what was withheld is none of these', (t) => {
  const labelled = [
    { startMs: 0, endMs: 2000, text: 'The Harbour' },
    { startMs: 3000, endMs: 5000, text: 'Platform 3' },
    { startMs: 6000, endMs: 8000, text: 'Closed' },
  ];
  const found = [
    text(100, 900, 'the harbour!'),
    text(1000, 1900, 'The Harbour'),
    text(3100, 4900, 'Platf0rm 3'),
    text(6100, 6200, 'C1osed', 'withheld'),
    text(6000, 6900, 'MWM'),
    text(9000, 9500, 'Closed'),
  ];
  const score = screenTextScoreOf(screenTextCounts(labelled, found));
  t.like(score, { labelled: 3, found: 1, passed: 5, wrong: 1, invented: 2, withheld: 1 });
  t.like(score, { foundMicro: 333_333, wrongMicro: 200_000, inventedMicro: 400_000 });
});

test('where no text stands and none passes there is nothing to divide by', (t) => {
  t.like(screenTextScoreOf(screenTextCounts([], [])), { foundMicro: null, wrongMicro: null, inventedMicro: null });
});
