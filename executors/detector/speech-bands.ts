import { SAMPLE_RATE } from './sound-signals.ts';

/** From one spectrum of a signal to the next, 16 ms: the resolution of what is known of its speech. */
export const STEP_SAMPLES = 256;

/** The bands of a spectrum whose levels the boundary model gets: triangles, evenly placed on O'Shaughnessy's mel scale. */
export const BAND_RULE = { bands: 32, lowestHz: 60, highestHz: 7800 } as const;

const { bands: BANDS, lowestHz, highestHz } = BAND_RULE;
const BIN_HZ = SAMPLE_RATE / (2 * STEP_SAMPLES);
// Far below what a sample of 16 bits can hold, so that silence has a level.
const LEAST_POWER = 1e-9;

const melOf = (hz: number): number => 2595 * Math.log10(1 + hz / 700);
const hzOf = (mel: number): number => 700 * (10 ** (mel / 2595) - 1);

interface Band {
  readonly firstBin: number;
  readonly weights: Float64Array;
}

const filters: readonly Band[] = Array.from({ length: BANDS }, (_, band) => {
  const [low, high] = [melOf(lowestHz), melOf(highestHz)];
  const binOf = (corner: number): number => hzOf(low + ((high - low) * (band + corner)) / (BANDS + 1)) / BIN_HZ;
  const [rise, peak, fall] = [binOf(0), binOf(1), binOf(2)];
  const firstBin = Math.max(1, Math.ceil(rise));
  const lastBin = Math.min(STEP_SAMPLES, Math.floor(fall));
  const weights = Float64Array.from({ length: lastBin - firstBin + 1 }, (_, at) => {
    const bin = firstBin + at;
    return Math.min((bin - rise) / (peak - rise), (fall - bin) / (fall - peak));
  });
  // The lowest bands are narrower than a bin.
  return weights.some((weight) => weight > 0)
    ? { firstBin, weights }
    : { firstBin: Math.round(peak), weights: Float64Array.of(1) };
});

/** The natural logarithm of the power in each band, spectrum after spectrum; each is the power of every bin from 0 Hz on. */
export function bandLevels(spectra: readonly Float64Array[]): Float32Array {
  const levels = new Float32Array(spectra.length * BANDS);
  for (const [step, powers] of spectra.entries()) {
    for (const [band, { firstBin, weights }] of filters.entries()) {
      let power = LEAST_POWER;
      for (let at = 0; at < weights.length; at += 1) power += (weights[at] ?? 0) * (powers[firstBin + at] ?? 0);
      levels[step * BANDS + band] = Math.log(power);
    }
  }
  return levels;
}
