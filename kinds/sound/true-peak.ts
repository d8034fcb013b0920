import { z } from 'zod';
import type { Range } from '../../contract/base/grammar.ts';
import type { TruePeakFact } from '../../contract/evidence/evidence.ts';
import { AU_FLOAT32, type AuForm, AuReader, unknownForm } from './au-sound.ts';

/** ffmpeg's `ebur128`; the true peak is fourfold oversampled as there, in thousandths of full scale. */
export const LOUDNESS_RULE = { standard: 'EBU R128', absoluteGateLufs: -70, truePeakSteps: 0.001 } as const;

/** The most that EBU R 128 permits. */
export const TRUE_PEAK_RULE = { mostDbtp: -1 } as const;

/** ffmpeg gives loudness and true peaks by tenths of a second, at 48 kHz. */
const RATE = 48_000;
const FRAME_MS = 100;
const FRAME_SAMPLES = (RATE * FRAME_MS) / 1000;

/**
 * Sound between two samples is interpolated at a quarter, a half and three quarters of the way, as ITU-R BS.1770-4 (annex 2) asks.
 * The filter is that of ffmpeg's `libswresample`, with which its `ebur128` measures: a sinc over 32 samples in a window of Kaiser's
 * with a beta of 9. So the peaks are the same.
 */
const TAPS = 32;
const BEFORE = TAPS / 2 - 1;
const BETA = 9;
const HALF = interpolator(1 / 2);
const PLACES: readonly Float64Array[] = [interpolator(1 / 4), HALF, interpolator(3 / 4)];

function interpolator(place: number): Float64Array {
  const taps = Float64Array.from({ length: TAPS }, (_, at) => {
    const from = at - BEFORE - place;
    const inWindow = (2 * from) / TAPS;
    return (Math.sin(Math.PI * from) / (Math.PI * from)) * bessel(BETA * Math.sqrt(Math.max(0, 1 - inWindow ** 2)));
  });
  const sum = taps.reduce((all, tap) => all + tap, 0);
  return taps.map((tap) => tap / sum);
}

/** The modified Bessel function of the first kind, of order zero. */
function bessel(x: number): number {
  let [sum, term] = [1, 1];
  for (let at = 1; term > sum * Number.EPSILON; at += 1) {
    term *= (x / 2 / at) ** 2;
    sum += term;
  }
  return sum;
}

// Most sound is so far below the highest peak that no value between its samples can reach that. A value is at most the sum of the
// sizes of the taps, each by the highest sample that it meets. That of the half is the greatest, as a whole and beyond the middle.
const sizeOf = (taps: Float64Array): number => taps.reduce((sum, tap) => sum + Math.abs(tap), 0);
const ALL_SIZE = sizeOf(HALF);
const MIDDLE_SIZE = HALF[BEFORE] ?? 0;
const BEYOND_TWO_SIZE = ALL_SIZE - 2 * MIDDLE_SIZE;
const ALL = { from: 0, to: TAPS } as const;
const FOUR = { from: BEFORE - 1, to: BEFORE + 3 } as const;
const BEYOND_FOUR_SIZE = ALL_SIZE - sizeOf(HALF.subarray(FOUR.from, FOUR.to));

const STEPS = Math.round(1 / LOUDNESS_RULE.truePeakSteps);

/** The highest true peak, as it is kept between two windows of a pass. */
export const truePeakState = z.strictObject({ value: z.number(), atMs: z.number() });
type TruePeakState = z.infer<typeof truePeakState>;

/**
 * Measures the true peak of all channels of a sound, which comes as an AU file at 48 kHz in pieces of any size. A rest below a tenth of
 * a second is not measured, as in ffmpeg.
 */
export class TruePeak {
  readonly #fromMs: number;
  readonly #ownFromMs: number;
  /** The highest one by the end of the last frame, and the frame that reached it. */
  #found: TruePeakState;
  /** The highest one since this began. */
  #highest = 0;
  /** The last samples of all channels before a frame, then the frame; interleaved. */
  #held = new Float32Array();
  #channels = 1;
  /** How many samples of each channel the frame has. */
  #filled = 0;
  #frames = 0;
  readonly #reader = new AuReader(
    AU_FLOAT32,
    (form) => this.#begin(form),
    (samples) => this.#take(samples),
  );

  /** The sound begins at `fromMs`; frames that begin before `ownFromMs` were counted by the window before. */
  constructor(fromMs: number, ownFromMs: number, from: TruePeakState | null = null) {
    this.#fromMs = fromMs;
    this.#ownFromMs = ownFromMs;
    this.#found = from ?? { value: 0, atMs: 0 };
  }

  /** Throws `DetectionFailure` on another form. */
  write(chunk: Buffer): void {
    this.#reader.write(chunk);
  }

  save(): TruePeakState {
    return this.#found;
  }

  /** In hundredths of dBTP; null for digital silence. */
  get centiDbtp(): number | null {
    const { value } = this.#found;
    // The sum turns a negative zero into the one zero of canonical JSON.
    return value === 0 ? null : Math.round(20 * Math.log10(value) * 100) + 0;
  }

  /** The highest true peak of a range, if it is too high. */
  facts({ endMs }: Range): TruePeakFact[] {
    const truePeakCentiDbtp = this.centiDbtp;
    const { atMs } = this.#found;
    if (truePeakCentiDbtp === null || truePeakCentiDbtp <= TRUE_PEAK_RULE.mostDbtp * 100) return [];
    const end = Math.min(endMs, atMs + FRAME_MS);
    return [{ kind: 'true_peak', index: 0, startMs: atMs, endMs: end, truePeakCentiDbtp }];
  }

  #begin({ rate, channels }: AuForm): void {
    if (rate !== RATE) throw unknownForm();
    this.#channels = channels;
    this.#held = new Float32Array((TAPS - 1 + FRAME_SAMPLES) * channels);
  }

  #take(samples: Float32Array): void {
    const channels = this.#channels;
    for (let at = 0; at < samples.length; ) {
      const count = Math.min(samples.length / channels - at / channels, FRAME_SAMPLES - this.#filled);
      const to = at + count * channels;
      this.#held.set(samples.subarray(at, to), (TAPS - 1 + this.#filled) * channels);
      this.#filled += count;
      if (this.#filled === FRAME_SAMPLES) this.#endFrame();
      at = to;
    }
  }

  #endFrame(): void {
    if (this.#frames === 0) mirrorBegin(this.#held, this.#channels);
    this.#measure();
    this.#held.copyWithin(0, FRAME_SAMPLES * this.#channels);
    const atMs = this.#fromMs + this.#frames * FRAME_MS;
    const value = Math.round(this.#highest * STEPS) / STEPS;
    if (atMs >= this.#ownFromMs && value > this.#found.value) this.#found = { value, atMs };
    this.#frames += 1;
    this.#filled = 0;
  }

  /** Looks for a higher peak in a frame, as far as the filter has all that it needs. */
  #measure(): void {
    const groupSamples = TAPS * this.#channels;
    let before = highestOf(this.#held, 0, groupSamples);
    for (let from = 0; from < FRAME_SAMPLES * this.#channels; from += groupSamples) {
      const behind = highestOf(this.#held, from + groupSamples, from + 2 * groupSamples);
      const highest = Math.max(before, behind);
      before = behind;
      if (ALL_SIZE * highest <= this.#highest) continue;
      for (let at = from; at < from + groupSamples; at += 1) this.#measureAt(at, highest);
    }
  }

  /** The filter reaches over `TAPS` samples of one channel from `at` on, none of which exceeds `highest`. */
  #measureAt(at: number, highest: number): void {
    const [held, channels] = [this.#held, this.#channels];
    const middle = at + BEFORE * channels;
    const sample = Math.abs(held[middle] ?? 0);
    const next = Math.abs(held[middle + channels] ?? 0);
    if (sample > this.#highest) this.#highest = sample;
    if (MIDDLE_SIZE * (sample + next) + BEYOND_TWO_SIZE * highest <= this.#highest) return;
    for (const taps of PLACES) {
      const nearly = Math.abs(filtered(held, at, channels, taps, FOUR));
      if (nearly + BEYOND_FOUR_SIZE * highest <= this.#highest) continue;
      this.#highest = Math.max(this.#highest, Math.abs(filtered(held, at, channels, taps, ALL)));
    }
  }
}

/** The sum of samples of one channel, each by its tap, over some of the taps. */
function filtered(
  held: Float32Array,
  at: number,
  channels: number,
  taps: Float64Array,
  { from, to }: { readonly from: number; readonly to: number },
): number {
  let sum = 0;
  for (let tap = from; tap < to; tap += 1) sum += (taps[tap] ?? 0) * (held[at + tap * channels] ?? 0);
  return sum;
}

/** ffmpeg mirrors a sound before its begin. */
function mirrorBegin(held: Float32Array, channels: number): void {
  const first = (TAPS - 1) * channels;
  for (let at = channels; at <= first; at += channels)
    for (let channel = 0; channel < channels; channel += 1)
      held[first - at + channel] = held[first + at + channel] ?? 0;
}

/** The size of the highest of some samples. */
function highestOf(samples: Float32Array, from: number, end: number): number {
  const to = Math.min(end, samples.length);
  let [highest, lowest] = [0, 0];
  for (let at = from; at < to; at += 1) {
    const sample = samples[at] ?? 0;
    if (sample > highest) highest = sample;
    else if (sample < lowest) lowest = sample;
  }
  return Math.max(highest, -lowest);
}
