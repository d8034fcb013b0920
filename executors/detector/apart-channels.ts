import { CHANNELS, FRAME_SAMPLES, MIX, SAMPLES_PER_MS, SIGNALS, type SignalBlock, signalOf } from './sound-signals.ts';

const BLOCK_FRAMES = 32;

/** How many samples of each signal are judged together. */
export const BLOCK_SAMPLES = BLOCK_FRAMES * FRAME_SAMPLES;

/**
 * When channels are measured beside their mix, block by block. Channels that are mixed add their amplitudes: equal ones keep
 * their power, unrelated ones of equal power lose 3 dB, opposite ones all of it. Likeness is the correlation coefficient
 * without a lag, as a number from 0 to 1: unrelated sounds stay below 0.1 in a block of this length.
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
 * The channels of a block (places among the signals) that have to be measured beside the mix, because the mix does not hold
 * what they hold. Empty for mono, for equal channels and for ordinary stereo.
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
