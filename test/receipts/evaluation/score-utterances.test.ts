import test from 'ava';
import { pooledUtterances, utteranceCounts, utteranceScoreOf } from '../../../receipts/evaluation/score-utterances.ts';

const span = (startMs: number, endMs: number) => ({ startMs, endMs });
const whole = span(0, 10_000);
const said = { condition: 'clean', spans: [span(1000, 1500), span(3000, 6000), span(8000, 8400)] };

test('an utterance is found where both have seven tenths of their time together, a word by itself and a phrase by itself', (t) => {
  const counts = utteranceCounts(said, [span(1000, 1714), span(3000, 5101), span(8000, 8572)], whole);
  t.like(counts, { words: 2, wordsFound: 1, phrases: 1, phrasesFound: 1 });
});

test('an edge is found late by a positive number, and an utterance without a window has none', (t) => {
  const score = utteranceScoreOf(utteranceCounts(said, [span(980, 1581), span(3010, 5990)], whole));
  t.deepEqual(score.onset, { errorsMs: [-20, 10], medianMs: -20, medianSizeMs: 10, ninetiethSizeMs: 20 });
  t.deepEqual(score.offset, { errorsMs: [-10, 81], medianMs: -10, medianSizeMs: 10, ninetiethSizeMs: 81 });
  t.like(score, { words: 2, wordsFound: 1, wordsFoundMicro: 500_000 });
});

test('one window over two utterances has the edges that it has, for each of them', (t) => {
  const counts = utteranceCounts({ condition: 'clean', spans: said.spans.slice(0, 2) }, [span(1000, 6000)], whole);
  t.deepEqual(
    [counts.onset.errorsMs, counts.offset.errorsMs],
    [
      [-2000, 0],
      [0, 4500],
    ],
  );
});

test('what is found where nobody speaks is a share of that time, also where nobody speaks at all', (t) => {
  const music = { condition: 'music_alone', spans: [] };
  const score = utteranceScoreOf(utteranceCounts(music, [span(0, 50)], whole));
  t.like(score, { words: 0, wordsFoundMicro: null, unspokenMs: 10_000, foundMs: 50, foundMicro: 5000 });
  t.deepEqual(score.onset, { errorsMs: [], medianMs: null, medianSizeMs: null, ninetiethSizeMs: null });
  t.like(utteranceCounts(said, [span(900, 1500)], whole), { unspokenMs: 6100, foundMs: 100 });
});

test('counts of one condition are added up, and errors stay in order', (t) => {
  const one = utteranceCounts(said, [span(990, 1500)], whole);
  const noisy = { ...one, condition: 'a_noise' };
  const other = utteranceCounts(said, [span(960, 1500), span(3005, 6000)], whole);
  const [first, second, ...rest] = pooledUtterances([[one], null, [noisy], [other]]) ?? [];
  t.deepEqual([first?.condition, second?.condition, rest.length], ['a_noise', 'clean', 0]);
  t.like(second, { words: 4, phrases: 2, unspokenMs: 2 * one.unspokenMs });
  t.deepEqual(second?.onset.errorsMs, [-40, -10, 5]);
  t.is(pooledUtterances([null]), null);
});
