import { SAMPLE_RATE } from '../../kinds/sound/sound-signals.ts';
import { STEADINESS_RULE, STEP_SAMPLES } from '../../kinds/sound/speech-rule.ts';

const { besideBins, lagSteps } = STEADINESS_RULE;
const BIN_HZ = SAMPLE_RATE / (2 * STEP_SAMPLES);
const FIRST_BIN = Math.ceil(STEADINESS_RULE.lowestHz / BIN_HZ);
const LAST_BIN = Math.floor(STEADINESS_RULE.highestHz / BIN_HZ);
// Far below what a sample of 16 bits can hold, so that silence has a level.
const LEAST_POWER = 1e-9;

const BINS = LAST_BIN - FIRST_BIN + 1;
const WIDTH = 2 * besideBins + 1;

/** The level of each bin above the mean of those beside it; of length one, and with a mean of zero. */
function fineStructure(powers: Float64Array): Float64Array {
  const levels = new Float64Array(BINS + WIDTH - 1);
  for (let at = 0; at < levels.length; at += 1)
    levels[at] = Math.log((powers[FIRST_BIN - besideBins + at] ?? 0) + LEAST_POWER);
  const fine = new Float64Array(BINS);
  let around = 0;
  for (let at = 0; at < WIDTH - 1; at += 1) around += levels[at] ?? 0;
  let sum = 0;
  let squares = 0;
  for (let at = 0; at < BINS; at += 1) {
    around += levels[at + WIDTH - 1] ?? 0;
    const above = (levels[at + besideBins] ?? 0) - around / WIDTH;
    around -= levels[at] ?? 0;
    fine[at] = above;
    sum += above;
    squares += above * above;
  }
  const mean = sum / BINS;
  const size = Math.sqrt(Math.max(0, squares - sum * mean));
  // Rounding leaves a little of equal levels.
  const scale = size < 1e-6 ? 0 : 1 / size;
  for (let at = 0; at < BINS; at += 1) fine[at] = ((fine[at] ?? 0) - mean) * scale;
  return fine;
}

/**
 * The steadiness of the harmonics at each spectrum of a block, from 0 to 1. It is the correlation of the fine structure with that
 * some steps before. The first spectra of a block have none before them in it, and are as steady as the next one.
 */
export function steadinessOf(spectra: readonly Float64Array[]): Float32Array {
  const fine = spectra.map(fineStructure);
  const steadiness = new Float32Array(spectra.length);
  for (let step = lagSteps; step < fine.length; step += 1) {
    const [own, before] = [fine[step], fine[step - lagSteps]];
    let product = 0;
    for (let bin = 0; bin < BINS; bin += 1) product += (own?.[bin] ?? 0) * (before?.[bin] ?? 0);
    steadiness[step] = Math.min(1, Math.max(0, product));
  }
  return steadiness.fill(steadiness[lagSteps] ?? 0, 0, lagSteps);
}
