import type { EvidenceArtifact } from '../../contract/evidence/evidence.ts';
import type { ReadText } from '../../contract/screentext/read-pictures.ts';
import { isClear, lettersOf, TEXT_RULE } from './text-gates.ts';

/** Below this confidence a reading is kept nowhere but in the share of clear letters: shapes that look like a letter or two. */
const FLOOR_MILLI = 500;

/** From this many readings on, of which too few are clear, a picture is clutter. */
const CLUTTER_READINGS = 40;

export const CLUTTER_PARAMETERS: EvidenceArtifact['parameters'] = {
  keptFromConfidenceMilli: FLOOR_MILLI,
  clutterReadings: CLUTTER_READINGS,
};

/** How many of the letters of a picture are in clear readings, in thousandths; all where there is none. */
export function clearMilliOf(texts: readonly ReadText[]): number {
  const lettersIn = (some: readonly ReadText[]) => some.reduce((sum, { text }) => sum + lettersOf(text), 0);
  const all = lettersIn(texts);
  return all === 0 ? 1000 : Math.floor((1000 * lettersIn(texts.filter(isClear))) / all);
}

/** The readings of a picture that are kept. */
export const keptTexts = (texts: readonly ReadText[]): ReadText[] =>
  texts.filter(({ text, confidenceMilli }) => confidenceMilli >= FLOOR_MILLI && lettersOf(text) > 0);

/** Whether a picture is full of shapes that are no letters: the next ones will be, and each takes the engine seconds. */
export const isClutter = (texts: readonly ReadText[]): boolean =>
  texts.length >= CLUTTER_READINGS && clearMilliOf(texts) < TEXT_RULE.clearMilli;
