import type { Chart, ChartState, ChartTransition } from '../../../contract/lifecycles/charts.ts';
import type { Marks } from '../../../visualizer/drawing/svg.ts';

export const noMarks: Marks = { states: new Map(), transitions: new Map(), notes: new Map() };

/** A state with the states around it. */
interface Placed {
  readonly state: ChartState;
  readonly parent: Placed | null;
  readonly depth: number;
}

/** A transition and the state that holds it. */
export interface Leaving {
  readonly transition: ChartTransition;
  readonly source: ChartState;
}

/** A chart, indexed by the ids of its states and transitions. */
export interface ChartIndex {
  readonly chart: Chart;
  /** In the order of the chart, outer states before those inside them. */
  readonly states: ReadonlyMap<string, Placed>;
  readonly transitions: ReadonlyMap<string, Leaving>;
}

export function chartIndex(chart: Chart): ChartIndex {
  const states = new Map<string, Placed>();
  const transitions = new Map<string, Leaving>();
  const visit = (state: ChartState, parent: Placed | null): void => {
    const placed = { state, parent, depth: parent === null ? 0 : parent.depth + 1 };
    states.set(state.id, placed);
    for (const transition of state.transitions) transitions.set(transition.id, { transition, source: state });
    for (const child of state.states) visit(child, placed);
  };
  visit(chart.root, null);
  return { chart, states, transitions };
}

/** A state and all states around it, from the inside out. */
export function withAncestors({ states }: ChartIndex, id: string): string[] {
  const around: string[] = [];
  for (let place = states.get(id) ?? null; place !== null; place = place.parent) around.push(place.state.id);
  return around;
}

/** States with all states around them: everything that is active when these are. */
export const activeWith = (index: ChartIndex, ids: readonly string[]): ReadonlySet<string> =>
  new Set(ids.flatMap((id) => withAncestors(index, id)));

/** True if a state is another one, or lies inside it. */
export const liesIn = (index: ChartIndex, id: string, around: string): boolean =>
  withAncestors(index, id).includes(around);

/** The states that are active once a state was entered: its initial one, or all regions of a parallel state. */
export function enteredBy(index: ChartIndex, id: string): readonly string[] {
  const state = index.states.get(id)?.state;
  if (state === undefined) return [];
  if (state.kind === 'parallel') return state.states.flatMap((region) => enteredBy(index, region.id));
  return state.kind === 'compound' && state.initial !== null ? enteredBy(index, state.initial) : [id];
}

/** The last part of the id of a state, as a person says it; the id itself for the machine as a whole. */
export const shortName = ({ states }: ChartIndex, id: string): string => states.get(id)?.state.name ?? id;
