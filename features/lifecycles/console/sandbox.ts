import { createStore } from '@xstate/store';
import {
  type AnyMachineSnapshot,
  createActor,
  createMachine,
  getNextTransitions,
  getStateNodes,
  initialTransition,
  raise,
} from 'xstate';
import type { ChartStateValue } from '../../../contract/lifecycles/actors.ts';
import type { Chart, ChartState, ChartTransition } from '../../../contract/lifecycles/charts.ts';
import { type ChartIndex, chartIndex, type Leaving } from './chart-index.ts';

/** True if the sandbox assumes that a guard passes. A page has the names of guards, not their code. */
type Assume = (guard: string) => boolean;

/** A machine that returns its next states, and the names of its states in the chart. */
interface RunnableChart {
  readonly machine: ReturnType<typeof createMachine>;
  /** Ids of the chart by ids of the machine. */
  readonly chartIds: ReadonlyMap<string, string>;
}

const isDoneState = (event: string): boolean => event.startsWith('xstate.done.state.');

/** The events that are raised at once. The event of a delay is raised later: in a sandbox a person chooses when. */
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
function machineOf(chart: Chart, assume: Assume): RunnableChart {
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

/** A possible next step: a transition of an active state, and true if it needs no event. */
export interface Possible extends Leaving {
  readonly isAtOnce: boolean;
}

/** The states of a chart after some choices. */
export interface Standing {
  readonly snapshot: AnyMachineSnapshot;
  /** Ids of the active states that hold no others. */
  readonly states: readonly string[];
  /** The event that led here; null where the sandbox began. */
  readonly event: string | null;
  readonly taken: readonly string[];
  /** The guards that were taken to hold for it. */
  readonly assumed: readonly string[];
}

export type Sandbox = ReturnType<typeof sandbox>;

/** An event that a pattern such as `error.*` names. */
const concrete = (event: string): string => event.replaceAll('*', 'any');

/**
 * A copy of a machine without effects: it lists the possible next steps and takes them. It begins in the initial state, or in
 * the state of an actor.
 */
export function sandbox(chart: Chart, from: ChartStateValue | null = null) {
  const index: ChartIndex = chartIndex(chart);
  let held: ReadonlySet<string> = new Set();
  const { machine, chartIds } = machineOf(chart, (guard) => held.has(guard));

  const statesOf = ({ value }: AnyMachineSnapshot): string[] =>
    getStateNodes(machine.root, value).flatMap(({ id, states }) => {
      const chartId = chartIds.get(id);
      return chartId === undefined || Object.keys(states).length > 0 ? [] : [chartId];
    });

  const begin = (): Standing => {
    held = new Set();
    const snapshot: AnyMachineSnapshot =
      from === null ? initialTransition(machine)[0] : machine.resolveState({ value: from, context: {} });
    return { snapshot, states: statesOf(snapshot), event: null, taken: [], assumed: [] };
  };

  /** Every transition of the active states and of those around them, the innermost first. */
  const possible = ({ snapshot }: Standing): readonly Possible[] =>
    (snapshot.status === 'active' ? getNextTransitions(snapshot) : []).flatMap(({ meta }) => {
      const leaving = index.transitions.get(String(meta?.chartId));
      // The end of an inner state is not an external event.
      if (leaving === undefined || leaving.transition.event.startsWith('xstate.done.state.')) return [];
      return [{ ...leaving, isAtOnce: leaving.transition.event === '' }];
    });

  /** Takes a transition: its guard is taken to hold, and those of all others not. */
  const after = (standing: Standing, { transition: { event, guard } }: Leaving): Standing => {
    held = new Set(guard === null ? [] : [guard]);
    const type = event === '' ? 'sandbox.look-again' : concrete(event);
    const taken: string[] = [];
    const copy = createActor(machine, {
      snapshot: standing.snapshot,
      inspect: (seen) => {
        if (seen.type === '@xstate.microstep')
          taken.push(...seen._transitions.flatMap(({ meta }) => meta?.chartId ?? []));
      },
    }).start();
    copy.send({ type });
    const snapshot: AnyMachineSnapshot = copy.getSnapshot();
    copy.stop();
    return { snapshot, states: statesOf(snapshot), event, taken, assumed: [...held] };
  };

  const store = createStore({
    context: { standings: [begin()] as readonly Standing[] },
    on: {
      chose: ({ standings }, { choice }: { choice: Leaving }) => {
        const now = standings.at(-1);
        return { standings: now === undefined ? standings : [...standings, after(now, choice)] };
      },
      wentBack: ({ standings }) => ({ standings: standings.length > 1 ? standings.slice(0, -1) : standings }),
      beganAgain: () => ({ standings: [begin()] }),
    },
  });
  return { store, index, possible };
}

/** The same; null where the chart has no such state, as where an actor was in a state of an older version. */
export function sandboxAt(chart: Chart, from: ChartStateValue | null): Sandbox | null {
  try {
    return sandbox(chart, from);
  } catch {
    return null;
  }
}
