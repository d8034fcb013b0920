import test from 'ava';
import { NoiseSuppressor, SUPPRESSED_LATE_SAMPLES } from '../../../executors/detector/noise-suppressor.ts';
import { packState, unpackState } from '../../../executors/detector/packed-state.ts';
import { findSilences, SoundLevels } from '../../../kinds/sound/silences.ts';
import {
  BLOCK_SAMPLES,
  channelsApart,
  FRAME_SAMPLES,
  GAIN_RULE,
  louder,
  modelGain,
  newBlock,
  SIGNALS,
  type SignalBlock,
  signalOf,
} from '../../../kinds/sound/sound-signals.ts';
import { SUPPRESSION_RULE } from '../../../kinds/sound/speech-rule.ts';

type Wave = (sample: number) => number;
const silent: Wave = () => 0;

const tone =
  (hertz: number, amplitude = 0.2): Wave =>
  (sample) =>
    amplitude * Math.sin((2 * Math.PI * hertz * sample) / 16_000);

/** A block as ffmpeg mixes stereo: half of each side. */
const stereo = (left: Wave, right: Wave): SignalBlock =>
  blockOf((at) => (left(at) + right(at)) / 2, left, right, silent);

const blockOf = (...waves: readonly Wave[]): SignalBlock =>
  waves.map((wave) => Float32Array.from({ length: BLOCK_SAMPLES }, (_none, at) => wave(at)));

const namesOf = (block: SignalBlock): string[] =>
  channelsApart(block, BLOCK_SAMPLES).map((channel) => SIGNALS[channel] ?? '');

test('mono, equal channels and a voice between the sides are measured as the mix alone', (t) => {
  const voice = tone(200);
  t.deepEqual(namesOf(blockOf(voice, silent, silent, voice)), []);
  t.deepEqual(namesOf(stereo(voice, voice)), []);
  t.deepEqual(namesOf(stereo(voice, tone(200, 0.1))), []);
  const room = (hertz: number) => tone(hertz, 0.1);
  t.deepEqual(
    namesOf(
      stereo(
        (at) => voice(at) + room(310)(at),
        (at) => voice(at) + room(470)(at),
      ),
    ),
    [],
  );
});

test('opposite channels are the same content, so that one of them is enough', (t) => {
  t.deepEqual(namesOf(stereo(tone(200), tone(200, -0.2))), ['left']);
  t.deepEqual(namesOf(stereo(tone(200), tone(200, -0.15))), ['left']);
});

test('channels of different content are each measured', (t) => {
  t.deepEqual(namesOf(stereo(tone(200), tone(330))), ['left', 'right']);
  t.deepEqual(namesOf(stereo(tone(200, 0.02), tone(330))), ['left', 'right']);
});

test('a voice on one side alone is measured there', (t) => {
  t.deepEqual(namesOf(stereo(silent, tone(200))), ['right']);
  t.deepEqual(namesOf(stereo(tone(330, 0.0001), tone(200))), ['right']);
});

test('the center of a film is measured apart from the music around it', (t) => {
  const [voice, left, right] = [tone(200), tone(330), tone(470)];
  const mix: Wave = (at) => 0.3 * voice(at) + 0.2 * (left(at) + right(at));
  t.deepEqual(namesOf(blockOf(mix, left, right, voice)), ['centre', 'left', 'right']);
  t.deepEqual(namesOf(blockOf(mix, left, left, voice)), ['centre', 'left']);
});

test('sound below the gate in every channel is left to the mix', (t) => {
  t.deepEqual(namesOf(stereo(tone(200, 0.0002), tone(330, 0.0002))), []);
  t.deepEqual(namesOf(stereo(silent, silent)), []);
});

const RATE = 16_000;

/** Blocks of noise that follows from the seed, and in every block a tone of 200 ms. */
function sound(blocks: number, noise: number, tone: number): Float32Array[] {
  let state = 7;
  const next = () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647 - 0.5;
  };
  return Array.from({ length: blocks }, () =>
    Float32Array.from({ length: BLOCK_SAMPLES }, (_, at) => {
      const isTone = at >= RATE / 2 && at < RATE * 0.7;
      return noise * next() + (isTone ? tone * Math.sin((2 * Math.PI * 500 * at) / RATE) : 0);
    }),
  );
}

const cleaned = (blocks: readonly Float32Array[]): Float32Array[] => {
  const suppressor = new NoiseSuppressor();
  return blocks.map((block) => suppressor.next(block).samples);
};

function decibels(samples: Float32Array | undefined, from: number, to: number): number {
  const part = (samples ?? new Float32Array(0)).subarray(from, to);
  return 10 * Math.log10(part.reduce((sum, sample) => sum + sample ** 2, 0) / part.length);
}

test('what lasts becomes quieter as the rule says, and what is louder for a while stays', (t) => {
  const blocks = sound(4, 0.02, 0.3);
  const clean = cleaned(blocks).at(-1);
  const still = decibels(clean, 2000, 7000) - decibels(blocks.at(-1), 2000, 7000);
  t.true(still < -7 && still >= -SUPPRESSION_RULE.suppressMostDb - 0.1, `${still} dB`);
  const [from, to] = [RATE * 0.55, RATE * 0.65];
  const loud = decibels(clean, from, to) - decibels(blocks.at(-1), from, to);
  t.true(Math.abs(loud) < 0.5, `${loud} dB`);
});

test('a sound is late by half a frame, and otherwise unchanged if nothing lasts', (t) => {
  const click = new Float32Array(BLOCK_SAMPLES);
  click[5000] = 0.5;
  const [clean] = cleaned([click]);
  t.true(Math.abs((clean?.[5000 + SUPPRESSED_LATE_SAMPLES] ?? 0) - 0.5) < 0.01);
  t.deepEqual(cleaned([new Float32Array(BLOCK_SAMPLES)]), [new Float32Array(BLOCK_SAMPLES)]);
});

test('a kept suppressor continues as if without a break, to the last bit', (t) => {
  const blocks = sound(5, 0.05, 0.2);
  const whole = cleaned(blocks);
  for (const cut of [0, 1, 3]) {
    const first = new NoiseSuppressor();
    for (const block of blocks.slice(0, cut)) first.next(block);
    const saved = unpackState(packState(first.save())) as ReturnType<NoiseSuppressor['save']>;
    const second = new NoiseSuppressor(saved);
    const rest = blocks.slice(cut).map((block) => second.next(block).samples);
    t.deepEqual(rest, whole.slice(cut));
  }
});

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

test('pauses of a program are found at any level of its recording', (t) => {
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

test('quiet passages that change do not count as a floor', (t) => {
  const music = spoken(-18, -36);
  const { spans, levels } = findSilences(levelsOf(music, (window) => ((window % 100) / 100) * 8));
  t.is(levels.floorDbfs, null);
  t.deepEqual(spans, []);
});

test('a program of a few words is not measured by its pauses', (t) => {
  const { spans, levels } = findSilences(
    levelsOf([
      [500, -20],
      [59_500, -60],
    ]),
  );
  t.is(levels.programmeDbfs, -20);
  t.deepEqual(spans, [[500, 60_000]]);
});

test('sound below every gate is one silence', (t) => {
  const { spans, levels } = findSilences(levelsOf([[4000, -100]]));
  t.deepEqual(spans, [[0, 4000]]);
  t.deepEqual(levels, { programmeDbfs: null, floorDbfs: null, thresholdDbfs: -70 });
});

test('a pause below the least length does not count, nor does any in less than a window', (t) => {
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

const framesOf = (...amplitudes: readonly number[]): Float32Array =>
  Float32Array.from(amplitudes.flatMap((amplitude) => Array.from({ length: FRAME_SAMPLES }, () => amplitude)));

test('the loudest frame of two blocks comes to one level, and loud sound stays as it is', (t) => {
  const decibels = (...blocks: readonly Float32Array[]): number => Math.round(20 * Math.log10(modelGain(...blocks)));
  t.is(decibels(framesOf(0.01, 0.001)), 10);
  t.is(decibels(framesOf(0.001), framesOf(0.001, 0.01)), 10);
  t.is(decibels(framesOf(0.0001)), GAIN_RULE.gainMostDb);
  t.is(decibels(framesOf(0)), GAIN_RULE.gainMostDb);
  t.is(modelGain(framesOf(0.0001, 0.04)), 1);
});

test('nothing becomes louder than full scale', (t) => {
  t.deepEqual([...louder(Float32Array.of(0.25, -0.5, 0.75), 2)], [0.5, -1, 1]);
});
