import { FRAME_SAMPLES } from './sound-signals.ts';

/**
 * The speech model overlooks a third of the words that are said 30 dB more quietly than usual. So it gets quiet sound louder: each
 * block by what brings the loudest frame of it and of the block before to this level, and by no more than this. Loud sound stays as it is.
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
