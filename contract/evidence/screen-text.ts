import { z } from 'zod';
import { count, languageTag, positive } from '../base/grammar.ts';
import { givenLine } from '../base/text.ts';

/** Most characters of one line of text on the screen. */
export const maximumScreenTextCharacters = 512;

/** A place or a share in thousandths. */
const milli = count.max(1000);

/**
 * Why text on the screen is withheld, in the order in which a fact lists its reasons. `low_confidence`: the engine itself doubts
 * it. `too_short`: fewer letters and digits than a pattern gives by chance. `seen_once`: it was read in one picture alone, and not
 * clearly. `clutter`: the pictures that it was read in are full of shapes that the engine takes for letters. `disagreement`: the
 * engine read its place by itself otherwise.
 */
export const screenTextReasons = ['low_confidence', 'too_short', 'seen_once', 'clutter', 'disagreement'] as const;
export const screenTextReason = z.enum(screenTextReasons);
export type ScreenTextReason = z.infer<typeof screenTextReason>;

/** Whether the line, cut out of its picture and read by itself, has the same letters and digits. */
export const secondLook = z.enum(['agrees', 'disagrees']);

/** Where a text stands, in thousandths of the width and of the height of the picture as it is shown. */
export const screenBox = z.strictObject({ leftMilli: milli, topMilli: milli, rightMilli: milli, bottomMilli: milli });
export type ScreenBox = z.infer<typeof screenBox>;

/**
 * One line of text on the screen, from the first picture in which it was seen to the last: it may have stood up to a second longer
 * on both sides. `readings` are the pictures in which it was read; those that did not change in between are not read again. `confidenceMilli` is the
 * mean of the engine's own confidence in those readings that agree with the text; `clearMilli` how much of what was read in the
 * clearest of these pictures is itself confident. `secondLook` is absent from what earlier
 * versions read, and from texts of which the engine is not sure. `language` is that of the text by script or n-grams. A text that is withheld is
 * kept here and appears nowhere else.
 */
export const screenTextFact = z.strictObject({
  kind: z.literal('screen_text'),
  index: count,
  startMs: count,
  endMs: count,
  text: givenLine(maximumScreenTextCharacters),
  box: screenBox,
  confidenceMilli: milli,
  clearMilli: milli,
  secondLook: secondLook.optional(),
  readings: positive,
  language: languageTag.nullable(),
  outcome: z.enum(['passed', 'withheld']),
  reasonCodes: z.array(screenTextReason),
});
export type ScreenTextFact = z.infer<typeof screenTextFact>;
