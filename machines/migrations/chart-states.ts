import type { AnyStateMachine, AnyStateNode, StateValue } from 'xstate';

/**
 * The name of the state in which a chart stands, such as `sealing.writing`. A parallel state is one state: `running.detect`,
 * however far its regions are.
 */
export function stateNameOf(value: StateValue): string {
  if (typeof value === 'string') return value;
  const [[name, inner] = ['', undefined], ...others] = Object.entries(value);
  if (inner === undefined || others.length > 0) return '';
  const rest = stateNameOf(inner);
  return rest === '' ? name : `${name}.${rest}`;
}

/** The names of all states in which an actor of a chart can stand, final ones included, in the order of the chart. */
export const statesOf = (machine: AnyStateMachine): string[] => namesBelow(machine.root, []);

function namesBelow(node: AnyStateNode, path: readonly string[]): string[] {
  if (node.type !== 'compound') return [path.join('.')];
  return Object.entries(node.states).flatMap(([name, state]) => namesBelow(state, [...path, name]));
}
