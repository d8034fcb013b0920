import test from 'ava';
import type { RawRegion } from '../../../contract/recognition.ts';
import type { EngineRefusal } from '../../../features/engines/engine-refusal.ts';
import { selfTested, spokenText } from '../../../features/engines/self-test.ts';

const measures = { confidence: null, averageLogProbability: null, compressionRatio: null, noSpeechProbability: null };

const regionOf = (text: string): RawRegion => ({
  language: 'en',
  lines: text === '' ? [] : [{ text, startMs: 0, endMs: 4000, words: [], measures }],
});

/** A recognizer that gives these answers, one after the other. */
function answering(...texts: readonly string[]) {
  const left = [...texts];
  return { recognize: async () => regionOf(left.shift() ?? '') };
}

const clock = () => {
  let now = 0;
  return () => {
    now += 2_000;
    return now;
  };
};

const tried = (...texts: readonly string[]) => selfTested(answering(...texts), clock(), new AbortController().signal);

test('a self-test counts right words, invented words and the time for a second of speech', async (t) => {
  const result = await tried(spokenText.replace('train', 'rain'), '', 'Thank you very much.');
  t.is(result.wordsRight, 12);
  t.is(result.wordsSpoken, 13);
  t.is(result.wordsInvented, 4);
  t.false(result.hasWords || result.hasTimes || result.hasConfidences);
  t.true(Math.abs(result.secondsPerSecond - 2 / 4.065) < 0.01);
});

test('bug: a model that hears nothing was accepted, and every film had no speech', async (t) => {
  const error = await t.throwsAsync<EngineRefusal>(tried(''));
  t.is(error?.code, 'nothing_heard');
});

test('a self-test refuses an engine that hears other words', async (t) => {
  const error = await t.throwsAsync<EngineRefusal>(tried('Have a great day!'));
  t.is(error?.code, 'wrong_words');
});

test('a self-test names the failure of an engine', async (t) => {
  const recognize = () => Promise.reject(new Error('tool_exit: it ended'));
  const error = await t.throwsAsync<EngineRefusal>(selfTested({ recognize }, clock(), new AbortController().signal));
  t.is(error?.code, 'engine_failed');
});
