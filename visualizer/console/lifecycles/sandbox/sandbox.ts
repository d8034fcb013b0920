import { createStore } from '@xstate/store';
import { type AnyMachineSnapshot, getNextTransitions, getStateNodes, initialTransition, transition } from 'xstate';
import type { ChartStateValue } from '../../../../contract/lifecycles/actors.ts';
import type { Chart } from '../../../../contract/lifecycles/charts.ts';
import { takenBetween } from '../actor/moves.ts';
import { type ChartIndex, chartIndex, type Leaving } from '../chart/chart-index.ts';
import { machineOf } from './machine-of.ts';

/** What can come next: a transition of an active state, and whether it comes without an event. */
export interface Possible extends Leaving {
  readonly isAtOnce: boolean;
}

/** Where a chart stands after some choices. */
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
 * A copy of a machine that touches nothing: it says what could come next from where it stands, and goes there. It begins in the
 * initial state, or where an actor stands.
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
      // That something inside has ended is no event from outside.
      if (leaving === undefined || leaving.transition.event.startsWith('xstate.done.state.')) return [];
      return [{ ...leaving, isAtOnce: leaving.transition.event === '' }];
    });

  /** Takes a transition: its guard is taken to hold, and those of all others not. */
  const after = (standing: Standing, { transition: { event, guard } }: Leaving): Standing => {
    held = new Set(guard === null ? [] : [guard]);
    const type = event === '' ? 'sandbox.look-again' : concrete(event);
    const [snapshot]: [AnyMachineSnapshot, unknown] = transition(machine, standing.snapshot, { type });
    const states = statesOf(snapshot);
    return { snapshot, states, event, taken: takenBetween(index, standing.states, event, states), assumed: [...held] };
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
