import {
  type AnyEventObject,
  type AnyMachineSnapshot,
  type EventObject,
  initialTransition,
  type StateValue,
  transition,
} from 'xstate';
import type { ActorDefinition } from './actor-definition.ts';
import type { ActorRow } from './actor-row.ts';
import { restored } from './restored-row.ts';

export interface EndedRow {
  readonly row: ActorRow;
  readonly emissions: EventObject[];
  readonly before: StateValue;
  readonly after: AnyMachineSnapshot;
}

/**
 * Computes, without starting an interpreter, where an event takes a chart that must not run any further. A snapshot that the
 * chart cannot restore is replaced by the chart's first state, so that even then the actor ends in a state of its own; what
 * follows from that must not be journalled, because the journal may have come further.
 */
export function endedRow(definition: ActorDefinition, row: ActorRow, event: AnyEventObject): EndedRow {
  const { input } = row;
  const current = restored(definition, row) ?? initialTransition(definition.machine, input)[0];
  const [after, actions] = transition(definition.machine, current, event);
  const emissions = actions.flatMap((action: { type: string; params?: unknown }) =>
    action.type === 'xstate.emit' ? [(action.params as { event: EventObject }).event] : [],
  );
  return {
    emissions,
    before: current.value,
    after,
    row: {
      kind: definition.name,
      machineId: definition.machine.id,
      machineVersion: definition.version,
      input,
      status: definition.status(after.value),
      updatedAt: 0,
      ticket: null,
      resumes: row.resumes,
      totalResumes: row.totalResumes,
      remainingMs: null,
      snapshot: definition.machine.getPersistedSnapshot(after),
    },
  };
}
