import test from 'ava';
import type { Range } from '../../../contract/base/grammar.ts';
import { linesWithoutSpeech, SPEECH_GAPS, speechWithoutLines } from '../../../rules/speech-gaps.ts';

const span = (startMs: number, endMs: number): Range => ({ startMs, endMs });

test('speech without a line is a passage of at least 0.8 s', (t) => {
  t.deepEqual(speechWithoutLines([span(1000, 1800)], []), [span(1000, 1800)]);
  t.deepEqual(speechWithoutLines([span(1000, 1799)], []), []);
  t.deepEqual(speechWithoutLines([], [span(0, 1000)]), []);
});

test('windows with a pause of at most 0.3 s are one passage', (t) => {
  t.deepEqual(speechWithoutLines([span(0, 500), span(800, 1300)], []), [span(0, 1300)]);
  t.deepEqual(speechWithoutLines([span(0, 500), span(801, 1300)], []), []);
  t.deepEqual(speechWithoutLines([span(800, 1300), span(0, 500), span(400, 900)], []), [span(0, 1300)]);
});

test('a passage of which a fifth is within 0.5 s of a line has one', (t) => {
  const speech = [span(10_000, 15_000)];
  // A fifth of five seconds is one second: half of it is the margin.
  t.deepEqual(speechWithoutLines(speech, [span(8000, 10_499)]), speech);
  t.deepEqual(speechWithoutLines(speech, [span(8000, 10_500)]), []);
  t.deepEqual(speechWithoutLines(speech, [span(14_500, 16_000)]), []);
  t.deepEqual(speechWithoutLines(speech, [span(15_500, 16_000)]), speech);
  t.deepEqual(speechWithoutLines([span(0, 800)], [span(0, 100)]), [], 'no line begins before the film');
});

test('lines that touch the same stretch count once', (t) => {
  const speech = [span(10_000, 20_000)];
  const lines = [span(9000, 10_200), span(9500, 10_300), span(10_100, 10_400)];
  t.deepEqual(speechWithoutLines(speech, lines), speech);
});

test('each of thousands of passages is looked at once', (t) => {
  const every = (ms: number, lengthMs: number, count: number) =>
    Array.from({ length: count }, (_, at) => span(at * ms, at * ms + lengthMs));
  const speech = every(4000, 1000, 20_000);
  const lines = every(8000, 1000, 10_000);
  t.is(speechWithoutLines(speech, lines).length, 10_000);
  t.is(linesWithoutSpeech(lines, speech).length, 10_000);
});

test('a line without detected speech within 0.5 s is named', (t) => {
  const speech = [span(2000, 3000), span(10_000, 11_000)];
  const lines = [
    span(0, 1400),
    span(0, 1501),
    span(1000, 3000),
    span(3500, 4000),
    span(5000, 9000),
    span(12_000, 13_000),
  ];
  t.deepEqual(linesWithoutSpeech(speech, lines), [lines[0], lines[3], lines[4], lines[5]]);
  t.deepEqual(linesWithoutSpeech([], lines), lines);
});

test('the numbers of the rule are those of the plans', (t) => {
  t.deepEqual(SPEECH_GAPS, { version: 1, joinedMs: 300, leastMs: 800, coveredMilli: 200, marginMs: 500 });
});
