import type { AnyStateMachine, AnyStateNode, StateValue } from 'xstate';
import type { ChartMeta } from '../contract/journal.ts';
import type { Chart, ChartState, ChartTransition } from '../contract/lifecycles/charts.ts';

/** The active states that have none inside them, as paths such as `running.detect`, one for each region of a parallel state. */
export function activeStatesOf(value: StateValue): string[] {
  if (typeof value === 'string') return [value];
  return Object.entries(value).flatMap(([name, inner]) => {
    const below = inner === undefined ? [] : activeStatesOf(inner);
    return below.length === 0 ? [name] : below.map((path) => `${name}.${path}`);
  });
}

/** True if a chart is in the state of a path, or in one inside it. */
export const isInState = (value: StateValue, path: string): boolean =>
  activeStatesOf(value).some((active) => active === path || active.startsWith(`${path}.`));

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
 * Throws when a way names a state that does not exist, or leads where no transition does.
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

type Transition = AnyStateNode['transitions'] extends Map<string, (infer T)[]> ? T : never;

const words: readonly (readonly [RegExp, (rest: string, node: AnyStateNode) => string])[] = [
  [/^$/, () => 'at once'],
  [/^\*$/, () => 'any event'],
  [/^xstate\.done\.actor\.(.+)$/, (actor) => `${actor} done`],
  [/^xstate\.error\.actor\.\*$/, () => 'error of any effect'],
  [/^xstate\.error\.actor\.(.+)$/, (actor) => `error of ${actor}`],
  [/^xstate\.done\.state\.(.+)$/, (_, node) => (node.type === 'parallel' ? 'every part done' : `${node.key} done`)],
];

const labelOf = (event: string, node: AnyStateNode): string => {
  for (const [pattern, word] of words) {
    const found = pattern.exec(event);
    if (found !== null) return word(found[1] ?? '', node);
  }
  return event;
};

const isRecord = (value: unknown): value is Record<string, unknown> =>
  (typeof value === 'object' && value !== null) || typeof value === 'function';

const nameOf = (value: unknown, unnamed: string): string => {
  if (typeof value === 'string') return value;
  if (isRecord(value) && typeof value.type === 'string') return value.type;
  if (isRecord(value) && typeof value.name === 'string' && value.name !== '') return value.name;
  return unnamed;
};

/** XState's own actions are functions that carry their type and, when it is fixed, the event that they send. */
const actionName = (action: unknown): string => {
  const name = nameOf(action, 'an unnamed action').replace(/^xstate\./, '');
  const event = isRecord(action) && isRecord(action.event) ? action.event.type : undefined;
  return typeof event === 'string' ? `${name} ${event}` : name;
};

/** XState's `and`, `or` and `not` are functions that carry the guards they join. */
const guardName = (guard: unknown): string => {
  const name = nameOf(guard, 'an unnamed condition');
  const joined = isRecord(guard) && Array.isArray(guard.guards) ? guard.guards.map(guardName) : null;
  if (joined === null) return name;
  return name === 'not' ? `not ${joined.join()}` : `(${joined.join(` ${name} `)})`;
};

const metaOf = (meta: unknown): ChartMeta => (isRecord(meta) ? meta : {});

const transitionId = (node: AnyStateNode, transition: Transition, index: number): string =>
  `${node.id}#${transition.eventType}#${index}`;

/** The transitions of a state by their events, each list in the order in which XState tries them. */
const candidatesOf = (node: AnyStateNode): readonly (readonly Transition[])[] => [
  ...node.transitions.values(),
  node.always ?? [],
];

const transitionOf = (node: AnyStateNode, transition: Transition, index: number): ChartTransition => ({
  id: transitionId(node, transition, index),
  event: transition.eventType,
  label: labelOf(transition.eventType, node),
  guard: transition.guard === undefined ? null : guardName(transition.guard),
  actions: transition.actions.map(actionName),
  targets: (transition.target ?? []).map((target: AnyStateNode) => target.id),
  reenter: transition.reenter,
  journal: [...(metaOf(transition.meta).journal ?? [])],
  description: transition.description ?? null,
});

const stateOf = (node: AnyStateNode): ChartState => ({
  id: node.id,
  name: node.key,
  kind: node.type,
  description: node.description ?? null,
  initial: node.type === 'compound' ? (node.initial.target[0]?.id ?? null) : null,
  entry: node.entry.map(actionName),
  exit: node.exit.map(actionName),
  journal: [...(metaOf(node.meta).journal ?? [])],
  invokes: node.invoke.map((invoke) => ({ id: invoke.id, actor: nameOf(invoke.src, 'an unnamed actor') })),
  transitions: candidatesOf(node).flatMap((candidates) =>
    candidates.map((transition, index) => transitionOf(node, transition, index)),
  ),
  states: Object.values(node.states).map(stateOf),
});

const idsOfMachines = new WeakMap<AnyStateMachine, ReadonlyMap<object, string>>();

function idsIn(machine: AnyStateMachine): ReadonlyMap<object, string> {
  const known = idsOfMachines.get(machine);
  if (known !== undefined) return known;
  const ids = new Map<object, string>();
  const visit = (node: AnyStateNode): void => {
    for (const candidates of candidatesOf(node)) {
      for (const [index, each] of candidates.entries()) ids.set(each, transitionId(node, each, index));
    }
    for (const child of Object.values(node.states)) visit(child);
  };
  visit(machine.root);
  idsOfMachines.set(machine, ids);
  return ids;
}

/**
 * The ids in the chart of transitions that XState took, by the definitions that it names. The entry of the first state is not in
 * the chart, and is left out.
 */
export const takenIds = (machine: AnyStateMachine, taken: readonly object[]): string[] =>
  taken.flatMap((each) => idsIn(machine).get(each) ?? []);

/** The machine as plain data: all its states, transitions and invokes, in the order in which they are declared. */
export const chartOf = (machine: AnyStateMachine): Chart => {
  const root = stateOf(machine.root);
  return {
    schema: 'studio.chart.v1',
    machineId: machine.id,
    machineVersion: machine.version ?? 'unversioned',
    root,
    mainWay: mainWayOf(root, metaOf(machine.root.meta).mainWays ?? []),
  };
};
