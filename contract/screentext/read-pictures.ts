import { z } from 'zod';
import { count } from '../base/grammar.ts';
import { givenLine } from '../base/text.ts';
import { maximumScreenTextCharacters, screenBox, secondLook } from '../evidence/screen-text.ts';

/** One line as an engine read it in one picture; its confidence in thousandths. Earlier versions looked once. */
export const readText = z.strictObject({
  text: givenLine(maximumScreenTextCharacters),
  box: screenBox,
  confidenceMilli: count.max(1000),
  secondLook: secondLook.optional(),
});

/**
 * What was read in a picture that was shown at `atMs`; no picture up to the one at `untilMs` differs from it. `clearMilli` is the
 * share of what was read that the engine is sure of, by letters; what it hardly sees is counted there and is not among the texts.
 */
export const readPicture = z.strictObject({
  atMs: count,
  untilMs: count,
  clearMilli: count.max(1000),
  texts: z.array(readText).max(1024),
});

/** What was read in one window of the range, kept under a key of its own so that no window is read twice. */
export const readPictures = z.array(readPicture).max(4096);

export type ReadText = z.infer<typeof readText>;
export type ReadPicture = z.infer<typeof readPicture>;
