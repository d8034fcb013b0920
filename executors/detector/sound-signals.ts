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
 * What a pass delivers of a track, whatever its layout: the mix of all channels into one, then the same sound folded into
 * left, right and centre. Stereo leaves the centre silent, mono leaves the sides silent; surrounds are folded into their side.
 */
export const SIGNALS = ['mix', 'left', 'right', 'centre'] as const;

export const MIX = 0;

/** The channels by their place among the signals. The centre comes first: where there is one, it holds what is said. */
export const CHANNELS = [3, 1, 2] as const;

/** ffmpeg's name of the layout left, right, centre. */
export const CHANNEL_LAYOUT = '3.0';

/** One sample of each signal, interleaved in their order. */
export const BYTES_PER_INSTANT = SIGNALS.length * BYTES_PER_SAMPLE;

/** The sample of 16 bits that begins at this byte. */
export const sampleAt = (bytes: Uint8Array, at: number): number =>
  (((bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8)) << 16) >> 16;

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
