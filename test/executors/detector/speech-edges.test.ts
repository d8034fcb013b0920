import test from 'ava';
import { LEVEL_STEP_DB, LOWEST_DBFS } from '../../../executors/detector/sound-levels.ts';
import { EDGE_RULE, speechEdges } from '../../../executors/detector/speech-edges.ts';
import { SAMPLES_PER_MS } from '../../../executors/detector/speech-segmenter.ts';

/** Levels of stretches `[dBFS, ms]`, one a millisecond. */
const levelsOf = (...stretches: readonly (readonly [number, number])[]): Uint8Array =>
  Uint8Array.from(
    stretches.flatMap(([dbfs, ms]) => Array.from({ length: ms }, () => (dbfs - LOWEST_DBFS) / LEVEL_STEP_DB)),
  );

/** Edges in ms of windows in ms. */
function edges(levels: Uint8Array, ...windows: readonly (readonly [number, number])[]) {
  const spans = windows.map(([from, to]) => ({ start: from * SAMPLES_PER_MS, end: to * SAMPLES_PER_MS }));
  const total = levels.length * SAMPLES_PER_MS;
  return speechEdges(spans, levels, total).map(({ start, end }) => [start / SAMPLES_PER_MS, end / SAMPLES_PER_MS]);
}

test('speech begins and ends where the sound becomes loud and quiet, early or late as the model may be', (t) => {
  const levels = levelsOf([-70, 1000], [-25, 1000], [-70, 1000]);
  t.deepEqual(edges(levels, [960, 2080]), [[1005, 2014]]);
  t.deepEqual(edges(levels, [1056, 1984]), [[1005, 2014]]);
});

test('a breath far below the speech is no part of it, and a soft end is', (t) => {
  const levels = levelsOf([-70, 1000], [-25, 1000], [-50, 100], [-58, 100], [-70, 800]);
  t.deepEqual(edges(levels, [992, 2208]), [[1005, 2114]]);
});

test('speech in a room ends before its echoes do', (t) => {
  const falling = (fromDbfs: number, ms: number) =>
    Array.from({ length: ms }, (_, at) => [fromDbfs - (60 * at) / ms, 1] as const);
  const echoes = levelsOf([-70, 1000], [-20, 800], ...falling(-20, 500), [-80, 700]);
  const [[begin = 0, end = 0] = []] = edges(echoes, [992, 2176]);
  t.is(begin, 1005);
  t.true(Math.abs(end - (1800 + (EDGE_RULE.room.belowSpeechDb * 500) / 60 + 14)) <= 4, `${end}`);
});

test('speech in noise that hides its edges ends a little before what the model says', (t) => {
  const levels = levelsOf([-40, 1000], [-25, 1000], [-40, 1000]);
  t.deepEqual(edges(levels, [992, 2080]), [[992 - EDGE_RULE.unseenMs, 2080 - EDGE_RULE.unseenMs]]);
});

test('what begins with the sound and lasts to its end has no other edges', (t) => {
  t.deepEqual(edges(levelsOf([-25, 1000]), [0, 1000]), [[0, 1000]]);
  t.deepEqual(edges(levelsOf([-25, 1000], [-70, 500]), [0, 1088]), [[0, 1014]]);
});

test('windows stay in order and apart', (t) => {
  const levels = levelsOf([-70, 500], [-25, 1500], [-70, 500]);
  const found = edges(levels, [512, 960], [992, 2048]).flat();
  t.deepEqual(
    found,
    found.toSorted((one, other) => one - other),
  );
  t.deepEqual(edges(levels), []);
});

test('a sound shorter than a window of its levels keeps what the model says', (t) => {
  t.deepEqual(speechEdges([{ start: 0, end: 100 }], new Uint8Array(0), 100), [{ start: 0, end: 100 }]);
});
