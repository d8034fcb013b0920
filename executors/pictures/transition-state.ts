import { z } from 'zod';
import { packedBytes } from './packed-bytes.ts';

/** `unexplained`: how much of the change between both ends the form does not explain, 0 to 1. */
export const foundTransition = z.strictObject({
  form: z.enum(['dissolve', 'fade', 'wipe']),
  startMs: z.number(),
  endMs: z.number(),
  unexplained: z.number(),
});
export type FoundTransition = Readonly<z.infer<typeof foundTransition>>;

/** A finder as it is kept between two windows of a pass; null stands for a time before all others. */
export const transitionFinderState = z.strictObject({
  moments: z.array(z.strictObject({ atMs: z.number(), blocks: packedBytes, light: z.number(), contrast: z.number() })),
  cuts: z.array(z.number()),
  candidates: z.array(foundTransition),
  turn: z.boolean(),
  handedMs: z.number().nullable(),
  foundMs: z.number().nullable(),
});
export type TransitionFinderState = z.infer<typeof transitionFinderState>;
