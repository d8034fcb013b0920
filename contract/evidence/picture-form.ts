import { z } from 'zod';
import { count, positive } from '../base/grammar.ts';

const counted = { index: count, startMs: count, endMs: count };

/** A share in thousandths. */
const milli = count.max(1000);

/**
 * How the pictures of a stretch hold moments: `progressive` one each, `top_first` and `bottom_first` two each, one in every second
 * line; `telecined` one each of a film, of which some are repeated; `mixed` several of these, and `unknown` where too few pictures
 * show it. The shares are those of its pictures, and add up to a thousand, `repeatedMilli` aside: pictures that repeat a field of the one before.
 */
export const fieldOrderFact = z.strictObject({
  kind: z.literal('field_order'),
  ...counted,
  order: z.enum(['progressive', 'top_first', 'bottom_first', 'telecined', 'mixed', 'unknown']),
  pictures: count,
  progressiveMilli: milli,
  topFirstMilli: milli,
  bottomFirstMilli: milli,
  undeterminedMilli: milli,
  repeatedMilli: milli,
});

/**
 * Black bars beside the picture: what is within them is `width` × `height` pixels from `left` and `top` on, of `pictureWidth` ×
 * `pictureHeight` as the source stores them. `agreeingMilli` is the share of the looked-at pictures that show exactly these.
 */
export const letterboxFact = z.strictObject({
  kind: z.literal('letterbox'),
  ...counted,
  left: count,
  top: count,
  width: positive,
  height: positive,
  pictureWidth: positive,
  pictureHeight: positive,
  agreeingMilli: milli,
});

export type FieldOrderFact = z.infer<typeof fieldOrderFact>;
export type LetterboxFact = z.infer<typeof letterboxFact>;
