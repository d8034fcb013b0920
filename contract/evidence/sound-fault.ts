import { z } from 'zod';
import { count, positive } from '../base/grammar.ts';

const counted = { index: count, startMs: count, endMs: count };

/** The channels that faults are measured in: surrounds are folded into their side, mono is the centre. */
export const measuredChannel = z.enum(['left', 'right', 'centre']);
export type MeasuredChannel = z.infer<typeof measuredChannel>;

/** Samples of one channel that stand at full scale one after another; `runs` of them lie between the ends, the longest of so many samples. */
export const clippingFact = z.strictObject({
  kind: z.literal('clipping'),
  ...counted,
  channel: measuredChannel,
  runs: positive,
  longestSamples: positive,
});

/** One side is silent while the other is not. */
export const silentChannelFact = z.strictObject({
  kind: z.literal('silent_channel'),
  ...counted,
  channel: z.enum(['left', 'right']),
});

/** Left and right are each other's inverse, so that a mix loses them; `correlationMilli` is their highest correlation, in thousandths. */
export const phaseInversionFact = z.strictObject({
  kind: z.literal('phase_inversion'),
  ...counted,
  correlationMilli: z.number().int().min(-1000).max(0),
});

/** Every channel is silent at once, in the middle of sound, for a moment. */
export const dropoutFact = z.strictObject({ kind: z.literal('dropout'), ...counted });

/** The highest true peak of the range, in hundredths of dBTP, and the tenth of a second that it lies in. */
export const truePeakFact = z.strictObject({
  kind: z.literal('true_peak'),
  ...counted,
  truePeakCentiDbtp: z.number().int(),
});

export const soundFaultFacts = [
  clippingFact,
  silentChannelFact,
  phaseInversionFact,
  dropoutFact,
  truePeakFact,
] as const;

export type ClippingFact = z.infer<typeof clippingFact>;
export type SilentChannelFact = z.infer<typeof silentChannelFact>;
export type PhaseInversionFact = z.infer<typeof phaseInversionFact>;
export type DropoutFact = z.infer<typeof dropoutFact>;
export type TruePeakFact = z.infer<typeof truePeakFact>;
export type SoundFaultFact = ClippingFact | SilentChannelFact | PhaseInversionFact | DropoutFact | TruePeakFact;
