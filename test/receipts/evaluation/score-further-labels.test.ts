import test from 'ava';
import type { LabelledFault } from '../../../contract/evaluation/evaluation-pack.ts';
import { keyframeCounts, keyframeScoreOf } from '../../../receipts/evaluation/score-keyframes.ts';
import { faultCounts, faultScoresOf } from '../../../receipts/evaluation/score-sound-faults.ts';
import { type FoundLine, transcriptCounts, transcriptScoreOf } from '../../../receipts/evaluation/score-transcript.ts';
import { transitionCounts, transitionScoreOf } from '../../../receipts/evaluation/score-transitions.ts';

const span = (startMs: number, endMs: number) => ({ startMs, endMs });

test('transitions are found where they overlap, each once, and have their bounds within four frames', (t) => {
  const frameRate = { numerator: 25, denominator: 1 };
  const spans = [span(1000, 2000), span(5000, 6000), span(8000, 9000)];
  const counts = transitionCounts({ frameRate, spans }, [span(840, 2162), span(1900, 2100), span(5163, 6000)]);
  t.deepEqual(counts, { labelled: 3, found: 3, matched: 2, bounded: 1 });
  t.like(transitionScoreOf(counts), { precisionMicro: 666_667, recallMicro: 666_667, boundedMicro: 333_333 });
});

test('faults count by their kind; those of both sides at once are one', (t) => {
  const fault = (kind: LabelledFault['kind'], startMs: number, endMs: number): LabelledFault => ({
    kind,
    startMs,
    endMs,
  });
  const labelled = [fault('clipping', 0, 100), fault('dropout', 500, 520), fault('dropout', 900, 920)];
  const found = [
    fault('clipping', 50, 120),
    fault('clipping', 0, 60),
    fault('dropout', 519, 530),
    fault('phase_inversion', 900, 950),
  ];
  const [clipping, silent, inverted, dropout] = faultScoresOf(faultCounts(labelled, found));
  t.like(clipping, { kind: 'clipping', labelled: 1, found: 1, matched: 1, f1Micro: 1_000_000 });
  t.like(silent, { kind: 'silent_channel', labelled: 0, found: 0, f1Micro: null });
  t.like(inverted, { kind: 'phase_inversion', found: 1, precisionMicro: 0, recallMicro: null });
  t.like(dropout, { kind: 'dropout', labelled: 2, matched: 1, recallMicro: 500_000 });
});

test('a shot counts as covered by a picture that was taken in it', (t) => {
  const counts = keyframeCounts([span(0, 1000), span(1000, 2000), span(2000, 3000)], [0, 500, 2000]);
  t.deepEqual(keyframeScoreOf(counts), { shots: 3, covered: 2, kept: 3, coveredMicro: 666_667 });
});

const line = (startMs: number, endMs: number, text: string, outcome: FoundLine['outcome'] = 'passed'): FoundLine => ({
  ...{ startMs, endMs, text, outcome },
});

test('a transcript is scored by words and characters, and what stands where nobody speaks is invented', (t) => {
  const labelled = { language: 'en', lines: [{ startMs: 1000, endMs: 3000, text: "It's a dark, cold night." }] };
  const found = [
    line(6000, 7000, 'Thank you'),
    line(1100, 2900, 'its a dark cold night'),
    line(8000, 9000, 'subtitles by nobody', 'withheld'),
  ];
  const score = transcriptScoreOf(transcriptCounts(labelled, found, span(0, 12_000)));
  t.like(score, { labelledWords: 5, foundWords: 7, wordErrors: 3, wordErrorMicro: 600_000, withheldLines: 1 });
  t.like(score, { labelledCharacters: 22, characterErrors: 11, characterErrorMicro: 500_000 });
  t.like(score, { inventedWords: 2, inventedMs: 1000, unspokenMs: 10_000, inventionMicro: 100_000 });
});

/** How many words are said, and how many words and characters are wrong. */
function errorsIn(label: string, text: string) {
  const labelled = { language: 'en', lines: [{ startMs: 0, endMs: 1000, text: label }] };
  const { labelledWords, wordErrors, characterErrors } = transcriptCounts(
    labelled,
    [line(0, 1000, text)],
    span(0, 1000),
  );
  return [labelledWords, wordErrors, characterErrors];
}

test('a quotation mark that has the form of an apostrophe, or an apostrophe in another form, is no wrong word', (t) => {
  t.deepEqual(errorsIn('I don’t know, it’s late.', "I don't know it's late"), [5, 0, 0]);
  t.deepEqual(errorsIn("'Come in,' he said.", 'Come in, he said'), [4, 0, 0]);
  t.deepEqual(errorsIn('‘rock ’n’ roll’', "rock 'n' roll"), [3, 0, 0]);
  t.deepEqual(errorsIn('пʼять', 'п’ять'), [1, 0, 0]);
  t.deepEqual(errorsIn("it's", 'its'), [1, 1, 1]);
});

test('bug: punctuation counted as a wrong character where words are not parted by spaces', (t) => {
  t.is(errorsIn('你好，世界', '你好世界')[2], 0);
  t.is(errorsIn('こんにちは、世界。', 'こんにちは 世界')[2], 0);
  t.is(errorsIn('สวัสดีที่ ชาวโลก', 'สวัสดีที่ชาวโลก')[2], 0);
  t.is(errorsIn('한국 사람', '한국사람')[2], 1, 'Korean parts words by spaces');
  t.is(errorsIn('मैं ठीक', 'मैंठीक')[2], 1, 'and so does Hindi');
});

test('where nobody speaks and nothing is shown the rate of inventions is zero, and there is no rate of errors', (t) => {
  const score = transcriptScoreOf(transcriptCounts({ language: 'en', lines: [] }, [], span(0, 1000)));
  t.like(score, { wordErrorMicro: null, inventionMicro: 0, unspokenMs: 1000 });
});
