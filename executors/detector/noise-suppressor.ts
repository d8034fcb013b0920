import { cfft, cifft } from 'fourier-transform';
import { bytesOfFloats, floatsOfBytes } from '../../kinds/packed-numbers.ts';
import { BLOCK_SAMPLES } from '../../kinds/sound/sound-signals.ts';
import { SUPPRESSION_RULE } from '../../kinds/sound/speech-rule.ts';

const FRAME_SAMPLES = 512;
const HOP_SAMPLES = FRAME_SAMPLES / 2;
const BINS = HOP_SAMPLES + 1;
const BLOCK_FRAMES = BLOCK_SAMPLES / HOP_SAMPLES;

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
  /**
   * Every 256 samples of the given block, around each: the power of every bin with its noise, for the models that need no late sound.
   * The next block overwrites them.
   */
  readonly spectra: readonly Float64Array[];
}

/** Two neighboring frames in one transform: the first as real numbers, the second as imaginary ones. */
interface Pair {
  readonly real: Float64Array;
  readonly imaginary: Float64Array;
  readonly powers: readonly [Float64Array, Float64Array];
}

const newPair = (): Pair => ({
  real: new Float64Array(FRAME_SAMPLES),
  imaginary: new Float64Array(FRAME_SAMPLES),
  powers: [new Float64Array(BINS), new Float64Array(BINS)],
});

/** Takes the noise out of one signal, block after block; equal sounds give equal bytes, in windows or at once. */
export class NoiseSuppressor {
  /** The end of the block before, and the block; what the last frame of that block adds to this one. */
  readonly #samples = new Float32Array(HOP_SAMPLES + BLOCK_SAMPLES);
  #open: Float32Array = new Float32Array(HOP_SAMPLES);
  /** For each band the power of the frame before: filtered, and smoothed. */
  #filtered: Float32Array = new Float32Array(BINS);
  #smoothed: Float32Array = new Float32Array(BINS);
  /** The smoothed powers of the block before, band by band; empty before the second block. */
  #measured: Float32Array = new Float32Array(0);
  // The room for one block, which each block uses again.
  readonly #pairs: readonly Pair[] = Array.from({ length: BLOCK_FRAMES / 2 }, newPair);
  readonly #gains = [new Float64Array(BINS), new Float64Array(BINS)] as const;
  readonly #noise = new Float64Array(BINS);

  constructor(from?: SuppressorState) {
    if (from === undefined) return;
    this.#samples.set(floatsOfBytes(from.tail));
    this.#open = floatsOfBytes(from.open);
    this.#filtered = floatsOfBytes(from.filtered);
    this.#smoothed = floatsOfBytes(from.smoothed);
    this.#measured = floatsOfBytes(from.measured);
  }

  save(): SuppressorState {
    return {
      tail: bytesOfFloats(this.#samples.subarray(0, HOP_SAMPLES)),
      open: bytesOfFloats(this.#open),
      filtered: bytesOfFloats(this.#filtered),
      smoothed: bytesOfFloats(this.#smoothed),
      measured: bytesOfFloats(this.#measured),
    };
  }

  /** Takes the next block (-1 to 1). */
  next(block: Float32Array): SuppressedBlock {
    const [samples, pairs, [first, second]] = [this.#samples, this.#pairs, this.#gains];
    samples.set(block, HOP_SAMPLES);
    for (const [at, pair] of pairs.entries()) transform(samples, at * FRAME_SAMPLES, pair);
    samples.copyWithin(0, BLOCK_SAMPLES);
    this.#measureNoise();
    const clean = new Float32Array(BLOCK_SAMPLES);
    for (const [at, pair] of pairs.entries()) {
      this.#findGains(pair.powers[0], first);
      this.#findGains(pair.powers[1], second);
      filter(pair, first, second);
      cifft(pair.real, pair.imaginary);
      this.#add(pair, clean, at * FRAME_SAMPLES);
    }
    return { samples: clean, spectra: pairs.flatMap(({ powers }) => powers) };
  }

  #measureNoise(): void {
    const measured = new Float32Array(BINS * MEASURED_FRAMES);
    const [smoothed, before, noise] = [this.#smoothed, this.#measured, this.#noise];
    const { smoothing, noiseShare, noiseFactor } = SUPPRESSION_RULE;
    const isFirst = before.length === 0;
    if (isFirst) smoothed.set(this.#pairs[0]?.powers[0] ?? []);
    for (const [at, { powers }] of this.#pairs.entries()) {
      for (const power of powers) {
        for (let bin = 0; bin < BINS; bin += 1)
          smoothed[bin] = smoothing * (smoothed[bin] ?? 0) + (1 - smoothing) * (power[bin] ?? 0);
      }
      for (let bin = 0; bin < BINS; bin += 1) measured[bin * MEASURED_FRAMES + at] = smoothed[bin] ?? 0;
    }
    const known = new Float32Array(isFirst ? MEASURED_FRAMES : 2 * MEASURED_FRAMES);
    const place = Math.floor(noiseShare * (known.length - 1));
    for (let bin = 0; bin < BINS; bin += 1) {
      const [from, to] = [bin * MEASURED_FRAMES, (bin + 1) * MEASURED_FRAMES];
      known.set(measured.subarray(from, to));
      if (!isFirst) known.set(before.subarray(from, to), MEASURED_FRAMES);
      noise[bin] = noiseFactor * nthOf(known, place) + LEAST_POWER;
    }
    this.#measured = measured;
  }

  /** The remaining share of each band of a frame, by Ephraim and Malah's decision-directed estimate of speech above noise. */
  #findGains(powers: Float64Array, gains: Float64Array): void {
    const [noise, filtered] = [this.#noise, this.#filtered];
    const { inertia } = SUPPRESSION_RULE;
    for (let bin = 0; bin < BINS; bin += 1) {
      const power = powers[bin] ?? 0;
      const still = noise[bin] ?? 1;
      const above = (inertia * (filtered[bin] ?? 0) + (1 - inertia) * Math.max(0, power - still)) / still;
      const gain = Math.max(LEAST_GAIN, above / (1 + above));
      gains[bin] = gain;
      filtered[bin] = gain * gain * power;
    }
  }

  /** Adds two frames to what is clean from a sample on; the second half of the latter stays open. */
  #add({ real, imaginary }: Pair, clean: Float32Array, from: number): void {
    const open = this.#open;
    for (let at = 0; at < HOP_SAMPLES; at += 1) {
      const later = HOP_SAMPLES + at;
      const rising = WINDOW[at] ?? 0;
      const falling = WINDOW[later] ?? 0;
      clean[from + at] = (open[at] ?? 0) + (real[at] ?? 0) * rising;
      clean[from + later] = (real[later] ?? 0) * falling + (imaginary[at] ?? 0) * rising;
      open[at] = (imaginary[later] ?? 0) * falling;
    }
  }
}

/** The value at a place among values in ascending order, which Hoare's selection finds without sorting all; changes their order. */
function nthOf(values: Float32Array, place: number): number {
  let [low, high] = [0, values.length - 1];
  while (low < high) {
    const pivot = values[place] ?? 0;
    let [from, to] = [low, high];
    while (from <= to) {
      while ((values[from] ?? 0) < pivot) from += 1;
      while ((values[to] ?? 0) > pivot) to -= 1;
      if (from > to) break;
      const swapped = values[from] ?? 0;
      values[from] = values[to] ?? 0;
      values[to] = swapped;
      from += 1;
      to -= 1;
    }
    if (to < place) low = from;
    if (from > place) high = to;
  }
  return values[place] ?? 0;
}

/** The spectra of two frames of these samples. */
function transform(samples: Float32Array, from: number, { real, imaginary, powers }: Pair): void {
  for (let at = 0; at < FRAME_SAMPLES; at += 1) {
    const factor = WINDOW[at] ?? 0;
    real[at] = (samples[from + at] ?? 0) * factor;
    imaginary[at] = (samples[from + HOP_SAMPLES + at] ?? 0) * factor;
  }
  cfft(real, imaginary);
  const [first, second] = powers;
  for (let bin = 0; bin < BINS; bin += 1) {
    const mirror = (FRAME_SAMPLES - bin) % FRAME_SAMPLES;
    const re = real[bin] ?? 0;
    const im = imaginary[bin] ?? 0;
    const otherRe = real[mirror] ?? 0;
    const otherIm = imaginary[mirror] ?? 0;
    first[bin] = ((re + otherRe) ** 2 + (im - otherIm) ** 2) / 4;
    second[bin] = ((im + otherIm) ** 2 + (otherRe - re) ** 2) / 4;
  }
}

/** Multiplies the bands of each frame of a pair by the gains of that frame. */
function filter({ real, imaginary }: Pair, first: Float64Array, second: Float64Array): void {
  for (let bin = 0; bin < BINS; bin += 1) {
    const mirror = (FRAME_SAMPLES - bin) % FRAME_SAMPLES;
    const re = real[bin] ?? 0;
    const im = imaginary[bin] ?? 0;
    const otherRe = real[mirror] ?? 0;
    const otherIm = imaginary[mirror] ?? 0;
    const one = (first[bin] ?? 0) / 2;
    const other = (second[bin] ?? 0) / 2;
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
