import test from 'ava';
import { BLOCK_SAMPLES } from '../../../executors/detector/apart-channels.ts';
import { NoiseSuppressor } from '../../../executors/detector/noise-suppressor.ts';
import { SAMPLE_RATE } from '../../../executors/detector/sound-signals.ts';
import { BAND_RULE, bandLevels, STEP_SAMPLES } from '../../../executors/detector/speech-bands.ts';

const { bands } = BAND_RULE;

const levelsOf = (sound: (n: number) => number): Float32Array =>
  bandLevels(new NoiseSuppressor().next(Float32Array.from({ length: BLOCK_SAMPLES }, (_, n) => sound(n))).spectra);

const loudestBand = (levels: Float32Array, step: number): number => {
  const own = levels.subarray(step * bands, (step + 1) * bands);
  return own.indexOf(Math.max(...own));
};

test('a tone is loudest in the band of its frequency, from the lowest to the highest', (t) => {
  const places = [70, 300, 1000, 3000, 7500].map((hz) => {
    const levels = levelsOf((n) => 0.3 * Math.sin((2 * Math.PI * hz * n) / SAMPLE_RATE));
    t.is(levels.length, (BLOCK_SAMPLES / STEP_SAMPLES) * bands);
    return loudestBand(levels, 30);
  });
  t.deepEqual(
    places,
    places.toSorted((one, other) => one - other),
  );
  t.is(new Set(places).size, places.length);
  t.deepEqual([places[0], places.at(-1)], [0, bands - 1]);
});

test('a spectrum stands around its sample: a click is in the two spectra that hold it, and in no other', (t) => {
  const levels = levelsOf((n) => (n === 20 * STEP_SAMPLES + 100 ? 0.5 : 0));
  const silent = levels[0] ?? 0;
  const loud = Array.from({ length: levels.length / bands }, (_, step) => step).filter((step) =>
    levels.subarray(step * bands, (step + 1) * bands).some((level) => level > silent + 1),
  );
  t.deepEqual(loud, [20, 21]);
});

test('a sound ten times as loud has levels higher by the same number in every band', (t) => {
  const noise = (gain: number) => levelsOf((n) => gain * ((((n * 2_654_435_761) >>> 7) % 2000) / 1000 - 1));
  const [quiet, loud] = [noise(0.01), noise(0.1)];
  for (const [at, level] of loud.entries()) t.true(Math.abs(level - (quiet[at] ?? 0) - 2 * Math.LN10) < 0.01);
});
