import { cfft, cifft } from 'fourier-transform';
import { bytesOfFloats, floatsOfBytes } from './packed-state.ts';
import { BLOCK_SAMPLES, SAMPLES_PER_MS } from './sound-signals.ts';

const FRAME_SAMPLES = 512;
const HOP_SAMPLES = FRAME_SAMPLES / 2;
const BINS = HOP_SAMPLES + 1;
const BLOCK_FRAMES = BLOCK_SAMPLES / HOP_SAMPLES;

/**
 * The speech model overlooks words in noise, over music and in rooms, so it gets a sound without steady parts. Every 16 ms a
 * Wiener filter removes from each band of the spectrum the power that is there most of the time. Found on spoken words and
 * phrases in nine voices under eight conditions, and reported on others (docs/evaluation-results.md).
 */
export const SUPPRESSION_RULE = {
  frameMs: FRAME_SAMPLES / SAMPLES_PER_MS,
  /** The noise of a band: the power that it does not exceed in this share of the block and the block before, times a factor. */
  noiseShare: 0.6,
  noiseFactor: 2,
  /** How much of the power of the frame before goes into that of a frame whose noise is measured, and into its filter. */
  smoothing: 0.7,
  inertia: 0.5,
  /** No band is lowered by more than this: what is taken from speech by mistake stays small. */
  suppressMostDb: 10,
} as const;

/** How far the sound without noise lies behind the sound: each frame overlaps the one before by half. */
export const SUPPRESSED_LATE_SAMPLES = HOP_SAMPLES;

// Neighboring frames overlap: the noise of every second one is enough.
const MEASURED_EVERY = 2;
const MEASURED_FRAMES = BLOCK_FRAMES / MEASURED_EVERY;
const LEAST_GAIN = 10 ** (-SUPPRESSION_RULE.suppressMostDb / 20);
// Far below what a sample of 16 bits can hold, so that nothing is divided by zero.
const LEAST_POWER = 1e-12;

// The root of a Hann window, before and behind the filter: the halves of two neighbors add up to one.
const WINDOW = Float64Array.from({ length: FRAME_SAMPLES }, (_, at) => Math.sin((Math.PI * at) / FRAME_SAMPLES));

/** A suppressor as it is kept between two windows of a pass. */
export interface SuppressorState {
  readonly tail: Uint8Array;
  readonly open: Uint8Array;
  readonly filtered: Uint8Array;
  readonly smoothed: Uint8Array;
  readonly measured: Uint8Array;
}

/** A block without its noise, which begins `SUPPRESSED_LATE_SAMPLES` before the block that was given. */
interface SuppressedBlock {
  readonly samples: Float32Array;
  /** Every 256 samples of the given block, around each: the power of every bin with its noise, for the models that need no late sound. */
  readonly spectra: readonly Float64Array[];
}

/** Two neighboring frames in one transform: the first as real numbers, the second as imaginary ones. */
interface Pair {
  readonly real: Float64Array;
  readonly imaginary: Float64Array;
  readonly powers: readonly [Float64Array, Float64Array];
}

/** Takes the noise out of one signal, block after block; equal sounds give equal bytes, in windows or at once. */
export class NoiseSuppressor {
  /** The end of the block before, and what its last frame adds to this one. */
  #tail: Float32Array = new Float32Array(HOP_SAMPLES);
  #open: Float32Array = new Float32Array(HOP_SAMPLES);
  /** For each band the power of the frame before: filtered, and smoothed. */
  #filtered: Float32Array = new Float32Array(BINS);
  #smoothed: Float32Array = new Float32Array(BINS);
  /** The smoothed powers of the block before, band by band; empty before the second block. */
  #measured: Float32Array = new Float32Array(0);

  constructor(from?: SuppressorState) {
    if (from === undefined) return;
    this.#tail = floatsOfBytes(from.tail);
    this.#open = floatsOfBytes(from.open);
    this.#filtered = floatsOfBytes(from.filtered);
    this.#smoothed = floatsOfBytes(from.smoothed);
    this.#measured = floatsOfBytes(from.measured);
  }

  save(): SuppressorState {
    return {
      tail: bytesOfFloats(this.#tail),
      open: bytesOfFloats(this.#open),
      filtered: bytesOfFloats(this.#filtered),
      smoothed: bytesOfFloats(this.#smoothed),
      measured: bytesOfFloats(this.#measured),
    };
  }

  /** Takes the next block (-1 to 1). */
  next(block: Float32Array): SuppressedBlock {
    const samples = new Float32Array(HOP_SAMPLES + BLOCK_SAMPLES);
    samples.set(this.#tail);
    samples.set(block, HOP_SAMPLES);
    this.#tail = samples.slice(BLOCK_SAMPLES);
    const pairs = Array.from({ length: BLOCK_FRAMES / 2 }, (_, at) => pairAt(samples, at * FRAME_SAMPLES));
    const noise = this.#noiseOf(pairs);
    const clean = new Float32Array(BLOCK_SAMPLES);
    for (const [at, pair] of pairs.entries()) {
      const [first, second] = pair.powers;
      filter(pair, [this.#gains(first, noise), this.#gains(second, noise)]);
      cifft(pair.real, pair.imaginary);
      this.#add(pair, clean, at * FRAME_SAMPLES);
    }
    return { samples: clean, spectra: pairs.flatMap(({ powers }) => powers) };
  }

  #noiseOf(pairs: readonly Pair[]): Float64Array {
    const measured = new Float32Array(BINS * MEASURED_FRAMES);
    const smoothed = this.#smoothed;
    const { smoothing, noiseShare, noiseFactor } = SUPPRESSION_RULE;
    const isFirst = this.#measured.length === 0;
    if (isFirst) smoothed.set(pairs[0]?.powers[0] ?? []);
    for (const [at, { powers }] of pairs.entries()) {
      for (const power of powers) {
        for (let bin = 0; bin < BINS; bin += 1)
          smoothed[bin] = smoothing * (smoothed[bin] ?? 0) + (1 - smoothing) * (power[bin] ?? 0);
      }
      for (let bin = 0; bin < BINS; bin += 1) measured[bin * MEASURED_FRAMES + at] = smoothed[bin] ?? 0;
    }
    const known = new Float32Array(isFirst ? MEASURED_FRAMES : 2 * MEASURED_FRAMES);
    const place = Math.floor(noiseShare * (known.length - 1));
    const noise = new Float64Array(BINS);
    for (let bin = 0; bin < BINS; bin += 1) {
      const from = bin * MEASURED_FRAMES;
      known.set(measured.subarray(from, from + MEASURED_FRAMES));
      if (!isFirst) known.set(this.#measured.subarray(from, from + MEASURED_FRAMES), MEASURED_FRAMES);
      noise[bin] = noiseFactor * (known.sort()[place] ?? 0) + LEAST_POWER;
    }
    this.#measured = measured;
    return noise;
  }

  /** The remaining share of each band of a frame, by Ephraim and Malah's decision-directed estimate of speech above noise. */
  #gains(powers: Float64Array, noise: Float64Array): Float64Array {
    const gains = new Float64Array(BINS);
    const { inertia } = SUPPRESSION_RULE;
    for (let bin = 0; bin < BINS; bin += 1) {
      const power = powers[bin] ?? 0;
      const still = noise[bin] ?? 1;
      const above = (inertia * (this.#filtered[bin] ?? 0) + (1 - inertia) * Math.max(0, power - still)) / still;
      const gain = Math.max(LEAST_GAIN, above / (1 + above));
      gains[bin] = gain;
      this.#filtered[bin] = gain * gain * power;
    }
    return gains;
  }

  /** Adds two frames to what is clean from a sample on; the second half of the latter stays open. */
  #add({ real, imaginary }: Pair, clean: Float32Array, from: number): void {
    for (let at = 0; at < HOP_SAMPLES; at += 1) {
      const later = HOP_SAMPLES + at;
      const rising = WINDOW[at] ?? 0;
      const falling = WINDOW[later] ?? 0;
      clean[from + at] = (this.#open[at] ?? 0) + (real[at] ?? 0) * rising;
      clean[from + later] = (real[later] ?? 0) * falling + (imaginary[at] ?? 0) * rising;
      this.#open[at] = (imaginary[later] ?? 0) * falling;
    }
  }
}

function pairAt(samples: Float32Array, from: number): Pair {
  const [real, imaginary] = [new Float64Array(FRAME_SAMPLES), new Float64Array(FRAME_SAMPLES)];
  for (let at = 0; at < FRAME_SAMPLES; at += 1) {
    const factor = WINDOW[at] ?? 0;
    real[at] = (samples[from + at] ?? 0) * factor;
    imaginary[at] = (samples[from + HOP_SAMPLES + at] ?? 0) * factor;
  }
  cfft(real, imaginary);
  const powers = [new Float64Array(BINS), new Float64Array(BINS)] as const;
  for (let bin = 0; bin < BINS; bin += 1) {
    const mirror = (FRAME_SAMPLES - bin) % FRAME_SAMPLES;
    const re = real[bin] ?? 0;
    const im = imaginary[bin] ?? 0;
    const otherRe = real[mirror] ?? 0;
    const otherIm = imaginary[mirror] ?? 0;
    powers[0][bin] = ((re + otherRe) ** 2 + (im - otherIm) ** 2) / 4;
    powers[1][bin] = ((im + otherIm) ** 2 + (otherRe - re) ** 2) / 4;
  }
  return { real, imaginary, powers };
}

/** Multiplies the bands of each frame of a pair by the gains of that frame. */
function filter({ real, imaginary }: Pair, gains: readonly [Float64Array, Float64Array]): void {
  for (let bin = 0; bin < BINS; bin += 1) {
    const mirror = (FRAME_SAMPLES - bin) % FRAME_SAMPLES;
    const re = real[bin] ?? 0;
    const im = imaginary[bin] ?? 0;
    const otherRe = real[mirror] ?? 0;
    const otherIm = imaginary[mirror] ?? 0;
    const one = (gains[0][bin] ?? 0) / 2;
    const other = (gains[1][bin] ?? 0) / 2;
    const firstRe = (re + otherRe) * one;
    const firstIm = (im - otherIm) * one;
    const secondRe = (im + otherIm) * other;
    const secondIm = (otherRe - re) * other;
    real[bin] = firstRe - secondIm;
    imaginary[bin] = firstIm + secondRe;
    real[mirror] = firstRe + secondIm;
    imaginary[mirror] = secondRe - firstIm;
  }
}
