import type { AnyStateMachine, AnyStateNode } from 'xstate';
import type { ChartMeta } from '../../contract/journal.ts';
import type { Chart, ChartState, ChartTransition } from '../../contract/lifecycles/charts.ts';
import { mainWayOf } from './main-way.ts';

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

const transitionOf = (node: AnyStateNode, transition: Transition, index: number): ChartTransition => ({
  id: `${node.id}#${transition.eventType}#${index}`,
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
  transitions: [...[...node.transitions.values()], node.always ?? []].flatMap((candidates) =>
    candidates.map((transition, index) => transitionOf(node, transition, index)),
  ),
  states: Object.values(node.states).map(stateOf),
});

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
