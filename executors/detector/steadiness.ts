import { STEP_SAMPLES } from './boundary-model.ts';
import { SAMPLE_RATE } from './sound-signals.ts';

/**
 * Notes have steady harmonics, and those of a voice glide. The fine structure of a spectrum is its level in each bin above the mean
 * level of the bins beside it. In a note it stays the same for some steps. Found on music and on recorded voices, and reported on
 * others (docs/evaluation-results.md).
 */
export const STEADINESS_RULE = {
  /** The bins on both sides of a bin whose mean level is taken off. */
  besideBins: 4,
  lowestHz: 200,
  highestHz: 2900,
  /** The spectra that are compared are so many steps apart. */
  lagSteps: 4,
} as const;

const { besideBins, lagSteps } = STEADINESS_RULE;
const BIN_HZ = SAMPLE_RATE / (2 * STEP_SAMPLES);
const FIRST_BIN = Math.ceil(STEADINESS_RULE.lowestHz / BIN_HZ);
const LAST_BIN = Math.floor(STEADINESS_RULE.highestHz / BIN_HZ);
// Far below what a sample of 16 bits can hold, so that silence has a level.
const LEAST_POWER = 1e-9;

/** The level of each bin above the mean of those beside it; of length one, and with a mean of zero. */
function fineStructure(powers: Float64Array): Float64Array {
  const levels = Float64Array.from({ length: LAST_BIN - FIRST_BIN + 1 + 2 * besideBins }, (_, at) =>
    Math.log((powers[FIRST_BIN - besideBins + at] ?? 0) + LEAST_POWER),
  );
  const width = 2 * besideBins + 1;
  const fine = new Float64Array(LAST_BIN - FIRST_BIN + 1);
  let around = levels.subarray(0, width - 1).reduce((sum, each) => sum + each, 0);
  for (let at = 0; at < fine.length; at += 1) {
    around += levels[at + width - 1] ?? 0;
    fine[at] = (levels[at + besideBins] ?? 0) - around / width;
    around -= levels[at] ?? 0;
  }
  const mean = fine.reduce((sum, each) => sum + each, 0) / fine.length;
  const size = Math.sqrt(fine.reduce((sum, each) => sum + (each - mean) ** 2, 0));
  return fine.map((each) => (size === 0 ? 0 : (each - mean) / size));
}

/**
 * How steady the harmonics of a sound are at each spectrum of a block, from 0 to 1: the correlation of its fine structure with that
 * some steps before. The first spectra of a block have none before them in it, and are as steady as the next one.
 */
export function steadinessOf(spectra: readonly Float64Array[]): Float32Array {
  const fine = spectra.map(fineStructure);
  const steadiness = Float32Array.from(fine, (own, step) => {
    const before = fine[step - lagSteps];
    return before === undefined
      ? 0
      : Math.max(
          0,
          own.reduce((sum, each, bin) => sum + each * (before[bin] ?? 0), 0),
        );
  });
  return steadiness.fill(steadiness[lagSteps] ?? 0, 0, lagSteps);
}
