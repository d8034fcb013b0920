import { z } from 'zod';
import { positive } from '../base/grammar.ts';
import { seconds } from './sealed-file.ts';

/** How a file falls short of what it states: cut at its end, damaged on the way, or whole under a false length. */
const incompleteCause = z.enum(['ends_early', 'corrupt_packets', 'length_misstated']);

/**
 * The note on media that is not what its container states, in milliseconds. Only `measuredMs` counts: it is the duration of
 * the source, and nothing is claimed beyond it. `statedMs` is null where the container states no length.
 */
export const incompleteMedia = z.strictObject({
  cause: incompleteCause,
  statedMs: positive.nullable(),
  measuredMs: positive,
});

/** The same note in the seconds of sealed records; absent from the records of whole media. */
export const sealedIncompleteMedia = z.strictObject({
  cause: incompleteCause,
  stated: seconds.positive().nullable(),
  measured: seconds.positive(),
});

export type IncompleteMedia = z.infer<typeof incompleteMedia>;
export type SealedIncompleteMedia = z.infer<typeof sealedIncompleteMedia>;
