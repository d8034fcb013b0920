import type { AnyStateMachine } from 'xstate';
import { journalEvent } from '../../../contract/journal.ts';
import type { ChartState, ChartTransition } from '../../../contract/lifecycles/charts.ts';
import { chartOf, mainWayOf } from '../../../machines/machine-chart.ts';
import type { openCaptionBench } from '../../actors/captions/caption-bench.ts';

const allStates = (state: ChartState): ChartState[] => [state, ...state.states.flatMap(allStates)];

/** Equal types in a row are merged to one. */
const collapsed = (types: readonly string[]): string[] => types.filter((type, index) => type !== types[index - 1]);

/** The journal that the chart predicts for an actor on this way, given as the paths of its states. */
export function declared(machine: AnyStateMachine, way: readonly string[]): string[] {
  const { root } = chartOf(machine);
  const states = allStates(root);
  const transitions = new Map<string, ChartTransition>(
    states.flatMap((state) => state.transitions.map((transition) => [transition.id, transition])),
  );
  const at = (path: string): ChartState => {
    const found = states.find(({ id }) => id === `${root.id}.${path}`);
    if (found === undefined) throw new Error(`no state ${path}`);
    return found;
  };
  /** A state that works on ends with what its effect brings: transitions that lead nowhere. */
  const within = (state: ChartState): string[] =>
    state.transitions.filter(({ targets }) => targets.length === 0).flatMap(({ journal }) => journal);
  const [first = '', ...rest] = way;
  const steps = mainWayOf(root, [way]);
  return collapsed([
    ...at(first).journal,
    ...within(at(first)),
    ...rest.flatMap((path, index) => {
      const transition = transitions.get(steps[index] ?? '');
      return [...(transition?.journal ?? []), ...at(path).journal, ...within(at(path))];
    }),
  ]);
}

/** The states of a chart on its first main way. */
export const mainWay = (machine: AnyStateMachine): readonly string[] => machine.config.meta?.mainWays?.[0] ?? [];

/** The types of the events of a runtime after this one, those in a row merged. */
export async function typesAfter(
  bench: Pick<Awaited<ReturnType<typeof openCaptionBench>>, 'store'>,
  runtimeId: string,
  after: number,
): Promise<string[]> {
  const { events } = await bench.store.ledger.journalPage(runtimeId, after, 200);
  const types = events.map((bytes) => journalEvent.parse(JSON.parse(Buffer.from(bytes).toString('utf8'))).type);
  return collapsed(types);
}

/** The number of the last event of a runtime. */
export const headOf = (
  bench: Pick<Awaited<ReturnType<typeof openCaptionBench>>, 'ledger'>,
  runtimeId: string,
): number => bench.ledger.journalHead(runtimeId).seq;
