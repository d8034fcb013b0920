import type { ChartState, ChartTransition } from '../contract/chart.ts';

interface Place {
  readonly state: ChartState;
  readonly parent: Place | null;
  readonly order: number;
}

const placesOf = (root: ChartState): ReadonlyMap<string, Place> => {
  const places = new Map<string, Place>();
  const visit = (state: ChartState, parent: Place | null): void => {
    const place = { state, parent, order: places.size };
    places.set(state.id, place);
    for (const child of state.states) visit(child, place);
  };
  visit(root, null);
  return places;
};

const doneOf = (state: ChartState): string => `xstate.done.state.${state.id}`;

/** What may leave a state: its own transitions and its ancestors', and those of a parent that the state completes. */
const transitionsFrom = (from: Place): ChartTransition[] => {
  const leaving: ChartTransition[] = [];
  let child = from;
  for (let place: Place | null = from; place !== null; place = place.parent) {
    const { state } = place;
    const completed = state.kind === 'parallel' || (child.state.kind === 'final' && child.parent === place);
    leaving.push(...state.transitions.filter(({ event }) => event !== doneOf(state) || completed));
    child = place;
  }
  return leaving;
};

/** The longest way forward, in the order of declaration, from the region's initial state to its first final one. */
const wayThrough = (region: ChartState): string[] => {
  const places = placesOf(region);
  const goal = region.states.find((state) => state.kind === 'final');
  const entered = (id: string | null): Place | undefined => {
    const place = id === null ? undefined : places.get(id);
    return place?.state.kind === 'compound' ? entered(place.state.initial) : place;
  };
  const known = new Map<Place, readonly string[] | null>();
  const longest = (from: Place): readonly string[] | null => {
    const found = known.get(from);
    if (found !== undefined) return found;
    if (from.state === goal) return [];
    let best: readonly string[] | null = null;
    for (const transition of transitionsFrom(from)) {
      const to = entered(transition.targets[0] ?? null);
      const rest = to !== undefined && to.order > from.order ? longest(to) : null;
      if (rest !== null && rest.length + 1 > (best?.length ?? 0)) best = [transition.id, ...rest];
    }
    known.set(from, best);
    return best;
  };
  const start = entered(region.id);
  return [...((start && longest(start)) ?? [])];
};

const parallelStates = (state: ChartState): ChartState[] => [
  ...(state.kind === 'parallel' ? [state] : []),
  ...state.states.flatMap(parallelStates),
];

/**
 * The transitions of the way that a machine is made for. No machine names it, so it is read off the order in which
 * states are declared: always forward, past as many states as possible, to the first final state; then the same inside
 * every region of every parallel state.
 */
export const happyPath = (root: ChartState): string[] => [
  ...wayThrough(root),
  ...parallelStates(root).flatMap((state) => state.states.flatMap(wayThrough)),
];
