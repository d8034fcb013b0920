import type { AnyEventObject, AnyMachineSnapshot } from 'xstate';
import { getSimplePaths } from 'xstate/graph';
import type { Scenario } from './scenario.ts';

export interface Step {
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
