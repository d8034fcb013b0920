import type { Stretch } from '../parts/ticks.ts';
import type { Lane, Mark } from './lanes.ts';

/** A mark as it is drawn: in pixels from the left of what is shown, and how many facts it stands for. */
export interface DrawnMark {
  readonly mark: Mark;
  readonly left: number;
  readonly width: number;
  readonly count: number;
}

const leastPixels = 3;
/** A cut is a line that is pressed beside it as well: closer ones would lie over the line. */
const leastOfTone: Readonly<Record<string, number>> = { cut: 7 };

/** The first mark that may reach into a stretch: marks are in order of their starts. */
function firstNear(marks: readonly Mark[], startMs: number, longestMs: number): number {
  let low = 0;
  let high = marks.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((marks[middle]?.startMs ?? 0) < startMs - longestMs) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The length of the longest mark of a lane. */
export const longestOf = (marks: readonly Mark[]): number =>
  marks.reduce((longest, { startMs, endMs }) => Math.max(longest, endMs - startMs), 0);

/**
 * The marks of a lane that are in sight. Marks of one kind that would lie on the same few pixels are drawn as one, so a lane
 * never draws more than its width allows.
 */
export function drawnMarks(
  marks: readonly Mark[],
  longestMs: number,
  view: Stretch,
  width: number,
): readonly DrawnMark[] {
  const scale = width / (view.endMs - view.startMs);
  const drawn: DrawnMark[] = [];
  /** Where the last mark of each kind stands: speech and pauses take turns, so the one before is often of another kind. */
  const lasts = new Map<string, number>();
  for (let at = firstNear(marks, view.startMs, longestMs); at < marks.length; at += 1) {
    const mark = marks[at];
    if (mark === undefined || mark.startMs >= view.endMs) break;
    if (mark.endMs < view.startMs) continue;
    const left = (mark.startMs - view.startMs) * scale;
    const least = leastOfTone[mark.tone] ?? leastPixels;
    const own = Math.max(least, (mark.endMs - mark.startMs) * scale);
    const place = lasts.get(mark.tone) ?? drawn.length;
    const last = drawn[place];
    const isSmall = last !== undefined && own <= least;
    if (isSmall && left - last.left < Math.max(least, last.width) && last.width <= 2 * least)
      drawn[place] = { ...last, count: last.count + 1 };
    else {
      lasts.set(mark.tone, drawn.length);
      drawn.push({ mark, left, width: own, count: 1 });
    }
  }
  return drawn;
}

/** The one mark of a timeline that Tab reaches: the chosen one where it is drawn as itself, else the first that is drawn. */
export function entryMark(
  lanes: readonly Lane[],
  chosenKey: string | null,
  view: Stretch,
  width: number,
): Mark | undefined {
  const drawn = lanes.flatMap(({ marks }) => drawnMarks(marks, longestOf(marks), view, width));
  return (drawn.find(({ mark }) => mark.key === chosenKey) ?? drawn[0])?.mark;
}
