import { SAMPLE_RATE } from '../../kinds/sound/sound-signals.ts';
import { BAND_RULE, BOUNDARY_WEIGHTS_SHA256, STEP_SAMPLES } from '../../kinds/sound/speech-rule.ts';
import { boundaryWeightsFile, loadPinnedModel } from './detector-models.ts';

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

/** A stretch of one signal: the levels of its bands at each step, and how probable the speech model finds speech there. */
export interface SignalTrack {
  readonly levels: Float32Array;
  readonly estimate: Float32Array;
}

/**
 * The probability of speech at each step of 16 ms. The speech model has only the sound before, and answers every 32 ms. This one
 * has the sound before and behind, so that it finds the moments at which speech begins and ends (lab/docs/speech-model.md).
 */
export interface BoundaryModel {
  /** The probabilities (0 to 1) of each track; all are of equal length. A step depends on `CONTEXT_STEPS` before and behind it. */
  probabilities(tracks: readonly SignalTrack[]): Promise<readonly Float32Array[]>;
}

/** Two seconds whose mean level is taken off, and one that the convolutions reach: whole blocks of 64 steps. */
export const CONTEXT_STEPS = 192;

/** Loads the pinned weights; throws when their file holds anything else. */
export async function loadBoundaryModel(): Promise<BoundaryModel> {
  const { runtime, session } = await loadPinnedModel(boundaryWeightsFile, BOUNDARY_WEIGHTS_SHA256);
  return {
    probabilities: async (tracks) => {
      const steps = tracks[0]?.estimate.length ?? 0;
      const levels = joined(tracks.map((track) => track.levels));
      const estimate = joined(tracks.map((track) => track.estimate));
      const { probability } = await session.run({
        levels: new runtime.Tensor('float32', levels, [tracks.length, steps, BAND_RULE.bands]),
        estimate: new runtime.Tensor('float32', estimate, [tracks.length, steps, 1]),
      });
      const all = probability?.data;
      if (!(all instanceof Float32Array) || all.length !== tracks.length * steps)
        throw new Error('the boundary model answers in an unknown form');
      return tracks.map((_, at) => all.slice(at * steps, (at + 1) * steps));
    },
  };
}

function joined(parts: readonly Float32Array[]): Float32Array {
  const all = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
