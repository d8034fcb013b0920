import test from 'ava';
import { FRAME_SAMPLES, SpeechSegmenter } from '../../../executors/detector/speech-segmenter.ts';
import { speechFacts } from '../../../executors/evidence/speech-facts.ts';

/** Runs of frames with one probability each: `[probability, frames]`. */
function segment(...runs: readonly (readonly [number, number])[]) {
  const segmenter = new SpeechSegmenter();
  let frames = 0;
  for (const [probability, length] of runs) {
    for (let frame = 0; frame < length; frame += 1) segmenter.push(probability);
    frames += length;
  }
  return segmenter.finish(frames * FRAME_SAMPLES);
}

const at = (frame: number) => frame * FRAME_SAMPLES;

test('nothing above the on-threshold is no speech', (t) => {
  t.deepEqual(segment([0.3499, 100]), []);
  t.deepEqual(segment(), []);
});

test('a run of speech begins and ends with its frames', (t) => {
  t.deepEqual(segment([0, 20], [0.9, 20], [0, 20]), [{ start: at(20), end: at(40) }]);
});

test('the thresholds themselves belong to speech', (t) => {
  t.deepEqual(segment([0, 20], [0.35, 10], [0.2, 10], [0, 20]), [{ start: at(20), end: at(40) }]);
});

test('speech needs the on-threshold to begin and only the off-threshold to go on', (t) => {
  t.deepEqual(segment([0.3, 20], [0.6, 1], [0.3, 15], [0.1, 20]), [{ start: at(20), end: at(36) }]);
});

test('a pause shorter than the least silence does not part two runs, a longer one does', (t) => {
  t.is(segment([0.9, 20], [0.1, 10], [0.9, 20]).length, 1);
  t.deepEqual(segment([0.9, 20], [0.1, 11], [0.9, 20]), [
    { start: 0, end: at(20) },
    { start: at(31), end: at(51) },
  ]);
});

test('a pause counts from its first quiet frame, whatever lies between the thresholds after it', (t) => {
  t.is(segment([0.9, 20], [0.1, 1], [0.3, 9], [0.1, 1], [0.9, 20]).length, 2);
  t.is(segment([0.9, 20], [0.1, 1], [0.3, 8], [0.5, 1], [0.1, 1], [0.9, 20]).length, 1);
});

test('a run shorter than the least speech is dropped', (t) => {
  t.deepEqual(segment([0, 20], [0.9, 7], [0, 20]), []);
  t.is(segment([0, 20], [0.9, 8], [0, 20]).length, 1);
});

test('speech at the end lasts to the last sample, and is dropped when it is too short', (t) => {
  t.deepEqual(segment([0, 20], [0.9, 10]), [{ start: at(20), end: at(30) }]);
  t.deepEqual(segment([0, 20], [0.9, 10], [0.1, 5]), [{ start: at(20), end: at(35) }]);
  t.deepEqual(segment([0, 20], [0.9, 7]), []);
});

test('an end inside the last frame ends speech inside it', (t) => {
  const segmenter = new SpeechSegmenter();
  for (let frame = 0; frame < 10; frame += 1) segmenter.push(0.9);
  t.deepEqual(segmenter.finish(at(9) + 7), [{ start: 0, end: at(9) + 7 }]);
});

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
