import {
  type AnyEventObject,
  type AnyMachineSnapshot,
  type EventObject,
  initialTransition,
  type StateValue,
  transition,
} from 'xstate';
import type { ActorKind } from './actor-kind.ts';
import type { ActorRow } from './actor-row.ts';
import { restored } from './restored-row.ts';

export interface EndedRow {
  readonly row: ActorRow;
  readonly facts: EventObject[];
  readonly before: StateValue;
  readonly after: AnyMachineSnapshot;
}

/**
 * Computes, without starting an interpreter, where an event takes a chart that must not run any further. A snapshot that the
 * chart cannot restore is replaced by the chart's first state, so that even then the actor ends in a state of its own; what
 * follows from that must not be journalled, because the journal may have come further.
 */
export function endedRow(kind: ActorKind, row: ActorRow, event: AnyEventObject): EndedRow {
  const { input } = row;
  const current = restored(kind, row) ?? initialTransition(kind.machine, input)[0];
  const [after, actions] = transition(kind.machine, current, event);
  const facts = actions.flatMap((action: { type: string; params?: unknown }) =>
    action.type === 'xstate.emit' ? [(action.params as { event: EventObject }).event] : [],
  );
  return {
    facts,
    before: current.value,
    after,
    row: {
      kind: kind.name,
      machineId: kind.machine.id,
      machineVersion: kind.version,
      input,
      status: kind.status(after.value),
      updatedAt: 0,
      ticket: null,
      resumes: row.resumes,
      totalResumes: row.totalResumes,
      remainingMs: null,
      snapshot: kind.machine.getPersistedSnapshot(after),
    },
  };
}
