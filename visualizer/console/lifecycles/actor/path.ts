import { activeWith, type ChartIndex } from '../chart/chart-index.ts';
import type { Marks } from '../chart/marks.ts';
import { briefly } from '../words.ts';
import type { Step } from './moves.ts';

/** What an actor did with an arrow: how often, and how long it had been in the state that it left, in ms. */
export interface Taken {
  readonly count: number;
  readonly totalMs: number;
}

/** The arrows that steps took, by the ids of their transitions. */
export function takenIn(steps: readonly Step[]): ReadonlyMap<string, Taken> {
  const taken = new Map<string, Taken>();
  steps.forEach(({ taken: ids }, place) => {
    const waited = steps[place - 1]?.stayedMs ?? 0;
    for (const id of ids) {
      const known = taken.get(id) ?? { count: 0, totalMs: 0 };
      taken.set(id, { count: known.count + 1, totalMs: known.totalMs + waited });
    }
  });
  return taken;
}

/** How a chart looks at the last of some steps: what is active, what was passed, and how often and after how long. */
export function pathMarks(index: ChartIndex, steps: readonly Step[]): Marks {
  const now = steps.at(-1);
  const states = new Map<string, string>();
  for (const { states: ids } of steps) for (const id of activeWith(index, ids)) states.set(id, 'passed');
  for (const id of activeWith(index, now?.states ?? [])) states.set(id, 'lit');
  for (const id of now?.states ?? []) states.set(id, 'lit now');
  const taken = takenIn(steps);
  const transitions = new Map([...taken.keys()].map((id) => [id, 'taken']));
  for (const id of now?.taken ?? []) transitions.set(id, 'taken last');
  const notes = new Map(
    [...taken].map(([id, { count, totalMs }]) => [
      id,
      count === 1 ? briefly(totalMs) : `${count} × ${briefly(totalMs / count)}`,
    ]),
  );
  return { states, transitions, notes };
}

/** What steps passed, to fold the rest of a chart. */
export const wayOfSteps = (steps: readonly Step[]) => ({
  transitions: [...new Set(steps.flatMap(({ taken }) => taken))],
  states: [...new Set(steps.flatMap(({ states }) => states))],
});
