/** Sound is measured on signed 16-bit samples at this rate. */
export const SAMPLE_RATE = 16_000;
export const BYTES_PER_SAMPLE = 2;
export const SAMPLES_PER_MS = SAMPLE_RATE / 1000;

/** How many samples of a signal the speech model judges at once. */
export const FRAME_SAMPLES = 512;

/** A half-open run of samples, counted from the first sample that was measured. */
export interface SampleSpan {
  readonly start: number;
  readonly end: number;
}

/**
 * The signals that a pass delivers of a track, whatever its layout. They are the mix of all channels into one, then the same
 * sound folded into left, right and center. Stereo leaves the center silent, mono leaves the sides silent; surrounds are folded
 * into their side.
 */
export const SIGNALS = ['mix', 'left', 'right', 'centre'] as const;

export const MIX = 0;

/** The channels by their place among the signals. The center comes first: if there is one, it holds the speech. */
export const CHANNELS = [3, 1, 2] as const;

/** ffmpeg's name of the layout left, right, center. */
export const CHANNEL_LAYOUT = '3.0';

/** One sample of each signal, interleaved in their order. */
export const BYTES_PER_INSTANT = SIGNALS.length * BYTES_PER_SAMPLE;

/**
 * The samples in bytes (s16le), in the order of this machine: its tools are little-endian. Bytes at an odd place in memory are
 * copied.
 */
export function samplesIn(bytes: Uint8Array): Int16Array {
  const { buffer, byteOffset, byteLength } = bytes.byteOffset % BYTES_PER_SAMPLE === 0 ? bytes : new Uint8Array(bytes);
  return new Int16Array(buffer, byteOffset, byteLength / BYTES_PER_SAMPLE);
}

/** Cuts all signals into windows of the same length as their bytes arrive. */
export class SampleWindows {
  readonly #length: number;
  #samples: number;
  #rest: Buffer = Buffer.alloc(0);

  /** `length` is the samples of each signal in a window, `samples` how many came before. */
  constructor(length: number, samples: number) {
    this.#length = length;
    this.#samples = samples;
  }

  /** How many samples of each signal came. */
  get samples(): number {
    return this.#samples;
  }

  /** Takes a piece of any size. Calls `measure` with samples of one window, and `end` after the last ones of a window. */
  add(chunk: Buffer, measure: (samples: Int16Array) => void, end: () => void): void {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const whole = bytes.length - (bytes.length % BYTES_PER_INSTANT);
    for (let at = 0; at < whole; ) {
      const room = this.#length - (this.#samples % this.#length);
      const to = Math.min(whole, at + room * BYTES_PER_INSTANT);
      measure(samplesIn(bytes.subarray(at, to)));
      this.#samples += (to - at) / BYTES_PER_INSTANT;
      if (this.#samples % this.#length === 0) end();
      at = to;
    }
    this.#rest = Buffer.from(bytes.subarray(whole));
  }
}

/** A stretch of all signals, one array each, from -1 to 1. */
export type SignalBlock = readonly Float32Array[];

/** A block that holds `samples` of every signal, filled with silence. */
export const newBlock = (samples: number): SignalBlock => SIGNALS.map(() => new Float32Array(samples));

/** One signal of a block. */
export function signalOf(block: SignalBlock, at: number): Float32Array {
  const signal = block[at];
  if (signal === undefined) throw new RangeError('a signal that no block has');
  return signal;
}

/**
 * The speech model overlooks a third of the words that are 30 dB quieter than usual. So it gets quiet sound louder. Each block is
 * raised until the loudest frame of it and of the block before reaches this level, by no more than this. Loud sound stays as it
 * is.
 */
export const GAIN_RULE = { gainToDbfs: -30, gainMostDb: 30 } as const;

const powerOf = (db: number): number => 10 ** (db / 10);

/** The factor by which the model gets a signal, of which these blocks are known. */
export function modelGain(...blocks: readonly Float32Array[]): number {
  let loudest = 0;
  for (const block of blocks) {
    for (let from = 0; from < block.length; from += FRAME_SAMPLES) loudest = Math.max(loudest, meanPower(block, from));
  }
  const wanted = powerOf(GAIN_RULE.gainToDbfs) / loudest;
  return Math.sqrt(Math.min(Math.max(wanted, 1), powerOf(GAIN_RULE.gainMostDb)));
}

function meanPower(block: Float32Array, from: number): number {
  let sum = 0;
  for (let at = from; at < from + FRAME_SAMPLES; at += 1) sum += (block[at] ?? 0) ** 2;
  return sum / FRAME_SAMPLES;
}

/** A frame with a gain, cut off at full scale. */
export const louder = (frame: Float32Array, gain: number): Float32Array =>
  gain === 1 ? frame : frame.map((sample) => Math.max(-1, Math.min(1, sample * gain)));

const BLOCK_FRAMES = 32;

/** How many samples of each signal are judged together. */
export const BLOCK_SAMPLES = BLOCK_FRAMES * FRAME_SAMPLES;

/**
 * The rule for measuring channels beside their mix, block by block. Channels that are mixed add their amplitudes: equal ones keep
 * their power, unrelated ones of equal power lose 3 dB, opposite ones all of it. Likeness is the correlation coefficient without
 * a lag, as a number from 0 to 1: unrelated sounds stay below 0.1 in a block of this length.
 */
export const APART_RULE = {
  apartBlockMs: BLOCK_SAMPLES / SAMPLES_PER_MS,
  /** Apart where the mix has lost more than this against the mean power of the channels, */
  apartMixLossDb: 3,
  /** or where two channels are less alike than this. */
  apartUnlikeBelow: 0.25,
  /** Of channels more alike than this one is measured for both. */
  apartSameAbove: 0.95,
  /** A channel counts when it is this close to the loudest one, and above the absolute gate of ITU-R BS.1770. */
  apartWithinDb: 40,
  apartGateDbfs: -70,
} as const;

const ratio = (db: number): number => 10 ** (db / 10);

function meanProduct(one: Float32Array, other: Float32Array, samples: number): number {
  let sum = 0;
  for (let at = 0; at < samples; at += 1) sum += (one[at] ?? 0) * (other[at] ?? 0);
  return sum / samples;
}

/**
 * The channels of a block (places among the signals) that have to be measured beside the mix, because the mix loses their sound.
 * Empty for mono, for equal channels and for ordinary stereo.
 */
export function channelsApart(block: SignalBlock, samples: number): readonly number[] {
  const power = SIGNALS.map((_name, at) => meanProduct(signalOf(block, at), signalOf(block, at), samples));
  const powerOf = (at: number) => power[at] ?? 0;
  const loudest = Math.max(...CHANNELS.map(powerOf));
  const least = Math.max(ratio(APART_RULE.apartGateDbfs), loudest / ratio(APART_RULE.apartWithinDb));
  const active = CHANNELS.filter((at) => powerOf(at) >= least);
  if (active.length === 0) return [];
  const likeness = (one: number, other: number) =>
    Math.abs(meanProduct(signalOf(block, one), signalOf(block, other), samples)) /
    Math.sqrt(powerOf(one) * powerOf(other));
  const mean = active.reduce((sum, at) => sum + powerOf(at), 0) / active.length;
  const isLost = mean > powerOf(MIX) * ratio(APART_RULE.apartMixLossDb);
  const isUnlike = () =>
    active.some((one, at) => active.slice(0, at).some((other) => likeness(one, other) < APART_RULE.apartUnlikeBelow));
  if (!isLost && !isUnlike()) return [];
  const apart: number[] = [];
  for (const one of active)
    if (apart.every((other) => likeness(one, other) <= APART_RULE.apartSameAbove)) apart.push(one);
  return apart;
}
