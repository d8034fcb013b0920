import type { AnyEventObject, AnyMachineSnapshot, AnyStateMachine } from 'xstate';
import { getSimplePaths } from 'xstate/graph';
import type { Chart, ChartCoverage, ChartState } from '../../contract/lifecycles/charts.ts';
import { chartOf } from '../../machines/machine-chart.ts';
import { publishReviewMachine, reviewAfter } from '../../machines/publish-review.ts';
import { runsOf } from './run.ts';
import { lifecycles, type Scenario } from './scenarios.ts';

interface Step {
  readonly event: AnyEventObject;
  /** The snapshot that the machine, as a pure function, gives for the event. */
  readonly expected: AnyMachineSnapshot;
}

/** A way from the initial snapshot to a final one. */
export interface Path {
  readonly steps: readonly Step[];
  readonly end: AnyMachineSnapshot;
}

const eventsIn = (scenario: Scenario, snapshot: AnyMachineSnapshot): AnyEventObject[] => {
  const active = Object.keys(snapshot.children);
  return [
    ...active.flatMap((actorId) => {
      const ends = scenario.effects[actorId];
      return [
        ...(ends?.outputs ?? []).map((output) => ({ type: `xstate.done.actor.${actorId}`, output, actorId })),
        ...(ends?.errors ?? []).map((error) => ({ type: `xstate.error.actor.${actorId}`, error, actorId })),
      ];
    }),
    ...active.flatMap((actorId) => scenario.timers[actorId]?.event ?? []),
    ...scenario.outside,
  ];
};

/** Every way to a final state that meets no snapshot twice. */
export const pathsOf = (scenario: Scenario): Path[] =>
  getSimplePaths(scenario.machine, {
    input: scenario.input,
    events: (snapshot) => eventsIn(scenario, snapshot),
    // A machine that has ended still says that it could take the events of its root.
    filterEvents: (snapshot, event) => snapshot.status === 'active' && snapshot.can(event),
    serializeState: (snapshot) => JSON.stringify([snapshot.value, scenario.distinguish(snapshot.context)]),
    toState: (snapshot) => snapshot.status !== 'active',
  }).map(({ steps, state }) => ({
    steps: steps.slice(1).map((step) => ({ event: step.event, expected: step.state })),
    end: state,
  }));

/** States and transitions on one walk, by their ids in the chart. */
interface Walk {
  readonly states: ReadonlySet<string>;
  readonly transitions: ReadonlySet<string>;
}

export const allStates = (state: ChartState): ChartState[] => [state, ...state.states.flatMap(allStates)];

/** The paths of a machine whose actor runs on the real interpreter. */
async function walksOf(scenario: Scenario, paths: readonly Path[]): Promise<readonly Walk[]> {
  const start = runsOf(scenario);
  const walks: Walk[] = [];
  for (const { steps } of paths) {
    const run = start();
    for (const { event } of steps) await run.happen(event);
    walks.push({ states: new Set(run.passed), transitions: new Set(run.taken) });
  }
  return walks;
}

/** Every event in every state of a review that takes it: a walk of one transition, because a command takes one at a time. */
function reviewWalks(chart: Chart): readonly Walk[] {
  return chart.root.states.flatMap((state) =>
    state.transitions.flatMap(({ id, event }) => {
      const after = reviewAfter(
        state.name as Parameters<typeof reviewAfter>[0],
        [event] as unknown as Parameters<typeof reviewAfter>[1],
      );
      return after === null
        ? []
        : [{ states: new Set([chart.root.id, state.id, `${chart.root.id}.${after}`]), transitions: new Set([id]) }];
    }),
  );
}

/** Through which states and transitions of its chart the tests of a machine walk. `known` are its paths, if they are known already. */
export async function coverageOf(machine: AnyStateMachine, known?: readonly Path[]): Promise<ChartCoverage> {
  const chart = chartOf(machine);
  const scenario = lifecycles.find((each) => each.scenario.machine === machine)?.scenario;
  if (scenario === undefined && machine !== publishReviewMachine) throw new Error(`no test walks ${machine.id}`);
  const walks = scenario === undefined ? reviewWalks(chart) : await walksOf(scenario, known ?? pathsOf(scenario));
  const states = allStates(chart.root);
  const count = (id: string, of: keyof Walk) => ({ id, walks: walks.filter((walk) => walk[of].has(id)).length });
  return {
    schema: 'studio.chart-coverage.v1',
    chartId: chart.machineId,
    machineVersion: chart.machineVersion,
    walks: walks.length,
    states: states.map(({ id }) => count(id, 'states')),
    transitions: states.flatMap(({ transitions }) => transitions.map(({ id }) => count(id, 'transitions'))),
  };
}
