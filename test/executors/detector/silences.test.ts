import test from 'ava';
import { findSilences } from '../../../executors/detector/silences.ts';
import { SoundLevels } from '../../../executors/detector/sound-levels.ts';
import { newBlock, signalOf } from '../../../executors/detector/sound-signals.ts';

type Stretch = readonly [ms: number, dbfs: number];

/** The levels of stretches of sound, steady but for what `wander` adds to each window: as loud as the loudest it holds. */
function levelsOf(stretches: readonly Stretch[], wander: (window: number) => number = () => 0): Uint8Array {
  const dbfs = stretches.flatMap(([ms, level]) => Array<number>(ms).fill(level));
  const windows = dbfs.slice(0, -19).map((_level, at) => Math.max(...dbfs.slice(at, at + 20)));
  return Uint8Array.from(windows, (level, at) => Math.round((level + wander(at) + 100) * 2));
}

/** Words of three seconds and pauses of one, over and over. */
const spoken = (wordsDbfs: number, pauseDbfs: number): Stretch[] =>
  Array.from({ length: 10 }, (): Stretch[] => [
    [3000, wordsDbfs],
    [1000, pauseDbfs],
  ]).flat();

test('pauses of a programme are found at whatever level it was recorded', (t) => {
  for (const words of [-6, -20, -44, -55]) {
    const { spans, levels } = findSilences(levelsOf(spoken(words, -90)));
    t.is(spans.length, 10, `words at ${words} dBFS`);
    t.is(levels.programmeDbfs, words);
    t.is(levels.thresholdDbfs, Math.max(-70, words - 26));
  }
});

test('pauses that a room fills with noise are found just above its floor', (t) => {
  const { spans, levels } = findSilences(levelsOf(spoken(-18, -34), (window) => (window % 7) / 4));
  t.is(spans.length, 10);
  t.deepEqual([levels.floorDbfs, levels.thresholdDbfs], [-32.5, -29.5]);
});

test('sound without a pause has no silence, be it loud or faint', (t) => {
  for (const level of [-3, -34, -60]) t.deepEqual(findSilences(levelsOf([[20_000, level]])).spans, []);
});

test('quiet passages that move are no floor', (t) => {
  const music = spoken(-18, -36);
  const { spans, levels } = findSilences(levelsOf(music, (window) => ((window % 100) / 100) * 8));
  t.is(levels.floorDbfs, null);
  t.deepEqual(spans, []);
});

test('a programme of a few words is not measured by its pauses', (t) => {
  const { spans, levels } = findSilences(
    levelsOf([
      [500, -20],
      [59_500, -60],
    ]),
  );
  t.is(levels.programmeDbfs, -20);
  t.deepEqual(spans, [[500, 60_000]]);
});

test('what no gate lets through is one silence', (t) => {
  const { spans, levels } = findSilences(levelsOf([[4000, -100]]));
  t.deepEqual(spans, [[0, 4000]]);
  t.deepEqual(levels, { programmeDbfs: null, floorDbfs: null, thresholdDbfs: -70 });
});

test('a pause shorter than the least length is none, and sound shorter than a window has none', (t) => {
  const around = (ms: number): Stretch[] => [
    [2000, -20],
    [ms, -90],
    [2000, -20],
  ];
  t.is(findSilences(levelsOf(around(299))).spans.length, 0);
  t.is(findSilences(levelsOf(around(300))).spans.length, 1);
  t.deepEqual(findSilences(new Uint8Array(0)).spans, []);
});

/** Levels of a sound that is a square wave of some amplitude in one channel. */
function measured(samples: number, blockSamples: number, amplitude: (sample: number) => number): Uint8Array {
  const levels = new SoundLevels();
  for (let from = 0; from < samples; from += blockSamples) {
    const block = newBlock(blockSamples);
    const length = Math.min(blockSamples, samples - from);
    for (let at = 0; at < length; at += 1) signalOf(block, 2)[at] = amplitude(from + at) * (at % 2 === 0 ? 1 : -1);
    levels.add(block, length);
  }
  return levels.finish();
}

test('a level is the mean power of twenty milliseconds of the loudest channel', (t) => {
  const levels = measured(16 * 1000, 1600, (sample) => (sample < 16 * 500 ? 0.1 : 0));
  t.is(levels.length, 981);
  t.deepEqual([levels[0], levels[480], levels[490], levels[500], levels[980]], [160, 160, 154, 0, 0]);
});

test('the quiet begins and ends within the window around its edge', (t) => {
  const levels = measured(16 * 3000, 16_384, (sample) => (sample < 16 * 1000 || sample >= 16 * 2000 ? 0.1 : 0));
  t.deepEqual(findSilences(levels).spans, [[1000, 2000]]);
});
