import type { ChartState, ChartTransition } from '../../contract/lifecycles/charts.ts';

interface Place {
  readonly state: ChartState;
  readonly parent: Place | null;
}

const placesOf = (root: ChartState): ReadonlyMap<string, Place> => {
  const places = new Map<string, Place>();
  const visit = (state: ChartState, parent: Place | null): void => {
    const place = { state, parent };
    places.set(state.id, place);
    for (const child of state.states) visit(child, place);
  };
  visit(root, null);
  return places;
};

/** The transitions of a state and of all states around it, the state's own first. */
const transitionsFrom = (place: Place | null): readonly ChartTransition[] =>
  place === null ? [] : [...place.state.transitions, ...transitionsFrom(place.parent)];

/**
 * The ids of the transitions along the ways that a machine declares, each way as the paths of the states that it passes.
 * Throws when a way names a state that does not exist, or goes where no transition leads.
 */
export function mainWayOf(root: ChartState, ways: readonly (readonly string[])[]): string[] {
  const places = placesOf(root);
  const placeAt = (path: string): Place => {
    const place = places.get(`${root.id}.${path}`);
    if (place === undefined)
      throw new Error(`the main way of ${root.id} names the state ${path}, which it does not have`);
    return place;
  };
  // A transition into a state with states inside leads to its initial one.
  const entered = (id: string | undefined): string | undefined => {
    const state = id === undefined ? undefined : places.get(id)?.state;
    return state?.kind === 'compound' ? entered(state.initial ?? undefined) : state?.id;
  };
  const step = (from: string, to: string): string => {
    const goal = placeAt(to).state.id;
    const taken = transitionsFrom(placeAt(from)).find(({ targets }) => entered(targets[0]) === goal);
    if (taken === undefined)
      throw new Error(`the main way of ${root.id} goes from ${from} to ${to}, where no transition leads`);
    return taken.id;
  };
  return ways.flatMap((way) => way.slice(1).map((to, index) => step(way[index] ?? '', to)));
}
