import test from 'ava';
import { STEP_SAMPLES } from '../../../executors/detector/speech-bands.ts';
import { PROBABILITY_STEPS, SPEECH_RULE, speechWindows } from '../../../executors/detector/speech-windows.ts';

/** Runs of steps with one probability each: `[probability, steps]`. */
function windows(...runs: readonly (readonly [number, number])[]) {
  const probabilities = Uint8Array.from(
    runs.flatMap(([probability, steps]) => Array<number>(steps).fill(Math.round(probability * PROBABILITY_STEPS))),
  );
  return speechWindows(probabilities, probabilities.length * STEP_SAMPLES).map(({ start, end }) => [
    Math.round((10 * start) / STEP_SAMPLES) / 10,
    Math.round((10 * end) / STEP_SAMPLES) / 10,
  ]);
}

const stepsIn = (ms: number): number => (ms * 16) / STEP_SAMPLES;
const { minSilenceMs, minSpeechMs } = SPEECH_RULE;

test('nothing as probable as the on-threshold is no speech', (t) => {
  t.deepEqual(windows([0.64, 100]), []);
  t.deepEqual(windows(), []);
  t.deepEqual(windows([0, 20], [0.66, 100], [0, 20]).length, 1);
});

test('speech begins and ends between two steps, where a line through their probabilities crosses the edge', (t) => {
  t.deepEqual(windows([0, 20], [0.8, 30], [0, 20]), [[19.5, 49.5]]);
  t.deepEqual(windows([0, 20], [0.4, 1], [0.8, 28], [0.4, 1], [0, 20]), [[20, 49]]);
});

test('one moment that is probable enough makes speech of all that is above the edge beside it', (t) => {
  t.deepEqual(windows([0, 20], [0.5, 20], [0.7, 1], [0.5, 20], [0, 20]), [[19.8, 60.2]]);
});

test('a pause shorter than the least silence does not part two windows, a longer one does', (t) => {
  const pause = Math.ceil(stepsIn(minSilenceMs));
  t.is(windows([0.8, 30], [0, pause - 1], [0.8, 30]).length, 1);
  t.is(windows([0.8, 30], [0, pause + 1], [0.8, 30]).length, 2);
});

test('a window shorter than the least speech is dropped, and two that are joined count as one', (t) => {
  const steps = Math.floor(stepsIn(minSpeechMs));
  t.deepEqual(windows([0, 20], [0.8, steps], [0, 20]), []);
  t.is(windows([0, 20], [0.8, steps + 1], [0, 20]).length, 1);
  t.is(windows([0, 20], [0.8, steps / 2], [0, 4], [0.8, steps / 2], [0, 20]).length, 1);
});

test('what begins with the sound or lasts to its end has the edges of the sound', (t) => {
  t.deepEqual(windows([0.8, 30]), [[0, 30]]);
  const probabilities = new Uint8Array(30).fill(PROBABILITY_STEPS);
  const total = 29 * STEP_SAMPLES + 7;
  t.deepEqual(speechWindows(probabilities, total), [{ start: 0, end: total }]);
});

test('windows are ordered, apart and inside the sound, whatever the probabilities are', (t) => {
  let state = 7;
  const probabilities = Uint8Array.from({ length: 5000 }, () => {
    state = (state * 48_271) % 2_147_483_647;
    return state % (PROBABILITY_STEPS + 1);
  });
  const total = probabilities.length * STEP_SAMPLES - 100;
  let covered = -1;
  for (const { start, end } of speechWindows(probabilities, total)) {
    t.true(start > covered && end > start && end <= total);
    covered = end;
  }
  t.true(covered > 0);
});
