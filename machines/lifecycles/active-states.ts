import type { StateValue } from 'xstate';

/** The active states that have none inside them, as paths such as `running.detect`, one for each region of a parallel state. */
export function activeStatesOf(value: StateValue): string[] {
  if (typeof value === 'string') return [value];
  return Object.entries(value).flatMap(([name, inner]) => {
    const below = inner === undefined ? [] : activeStatesOf(inner);
    return below.length === 0 ? [name] : below.map((path) => `${name}.${path}`);
  });
}

/** Whether a chart stands in the state of a path, or in one inside it. */
export const standsIn = (value: StateValue, path: string): boolean =>
  activeStatesOf(value).some((active) => active === path || active.startsWith(`${path}.`));
