import type { ScreenBox } from '../../contract/evidence/screen-text.ts';
import type { ReadText } from '../../contract/screentext/read-pictures.ts';

/** From this confidence on a longer reading of a place is better than a shorter one that is a little more sure of itself. */
export const SURE_MILLI = 850;

const letters = (text: string): number => text.match(/[\p{L}\p{N}]/gu)?.length ?? 0;

const weightOf = ({ text, confidenceMilli }: ReadText): number =>
  letters(text) * confidenceMilli * (confidenceMilli >= SURE_MILLI ? 2 : 1);

const overlaps = (one: ScreenBox, other: ScreenBox): boolean =>
  one.leftMilli < other.rightMilli &&
  other.leftMilli < one.rightMilli &&
  one.topMilli < other.bottomMilli &&
  other.topMilli < one.bottomMilli;

/**
 * Joins what an engine read of one picture in two ways: of readings that share a place the one with the most letters of which it is
 * sure stays, the first of equal ones. From the top of the picture down.
 */
export function joinedReadings(first: readonly ReadText[], second: readonly ReadText[]): ReadText[] {
  const ordered = [...first, ...second].sort((one, other) => weightOf(other) - weightOf(one));
  const kept: ReadText[] = [];
  for (const reading of ordered) {
    if (!kept.some(({ box }) => overlaps(box, reading.box))) kept.push(reading);
  }
  return kept.sort((one, other) => one.box.topMilli - other.box.topMilli || one.box.leftMilli - other.box.leftMilli);
}
