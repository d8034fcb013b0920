import { createMachine, raise } from 'xstate';
import type { Chart, ChartState, ChartTransition } from '../../../../contract/lifecycles/charts.ts';

/** Says whether a guard is taken to hold. A page has the names of guards, not their code. */
export type Assume = (guard: string) => boolean;

/** A machine that can be asked where it goes, and how its states are called in the chart. */
export interface RunnableChart {
  readonly machine: ReturnType<typeof createMachine>;
  /** Ids of the chart by ids of the machine. */
  readonly chartIds: ReadonlyMap<string, string>;
}

const isDoneState = (event: string): boolean => event.startsWith('xstate.done.state.');

/** What is raised at once. The event of a delay is raised, too, but later: in a sandbox a person chooses when. */
const raisedBy = (names: readonly string[]) =>
  names.flatMap((name) =>
    name.startsWith('raise ') && !name.startsWith('raise xstate.after.')
      ? [raise({ type: name.slice('raise '.length) })]
      : [],
  );

/**
 * The machine of a chart, made from the data alone: it has the states, events and targets, and raises what the chart raises. It
 * starts no effect and runs no other action. A history state is taken to be shallow.
 */
export function machineOf(chart: Chart, assume: Assume): RunnableChart {
  // Ids of XState may not hold dots in any place, and those of a foreign chart may.
  const names = new Map<string, string>();
  const nameAll = (state: ChartState): void => {
    names.set(state.id, `s${names.size}`);
    state.states.forEach(nameAll);
  };
  nameAll(chart.root);

  const guards: Record<string, () => boolean> = {};
  const transitionOf = ({ id, guard, actions, targets, reenter }: ChartTransition): object => {
    if (guard !== null) guards[guard] = () => assume(guard);
    return {
      ...(targets.length > 0 && { target: targets.map((target) => `#${names.get(target)}`) }),
      ...(guard !== null && { guard }),
      actions: raisedBy(actions),
      reenter,
      meta: { chartId: id },
    };
  };
  const taking = (transitions: readonly ChartTransition[]): object[] => transitions.map(transitionOf);
  const configOf = (state: ChartState): object => {
    const { id, kind, initial, transitions, states, entry, exit } = state;
    const events = [...new Set(transitions.map(({ event }) => event))].filter(
      (event) => event !== '' && !isDoneState(event),
    );
    const initialName = states.find((child) => child.id === initial)?.name;
    return {
      id: names.get(id),
      ...(kind === 'parallel' || kind === 'final' || kind === 'history' ? { type: kind } : {}),
      ...(initialName !== undefined && { initial: initialName }),
      ...(states.length > 0 && { states: Object.fromEntries(states.map((child) => [child.name, configOf(child)])) }),
      on: Object.fromEntries(
        events.map((event) => [event, taking(transitions.filter((each) => each.event === event))]),
      ),
      always: taking(transitions.filter(({ event }) => event === '')),
      onDone: taking(transitions.filter(({ event }) => isDoneState(event))),
      entry: raisedBy(entry),
      exit: raisedBy(exit),
    };
  };
  const machine = createMachine(configOf(chart.root), { guards });
  return { machine, chartIds: new Map([...names].map(([chartId, name]) => [name, chartId])) };
}
