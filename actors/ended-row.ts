import {
  type AnyEventObject,
  type AnyMachineSnapshot,
  createActor,
  type EventObject,
  initialTransition,
  type StateValue,
  transition,
} from 'xstate';
import type { ActorKind } from './actor-kind.ts';
import type { ActorRow } from './actor-row.ts';

export interface EndedRow {
  readonly row: ActorRow;
  readonly facts: EventObject[];
  readonly before: StateValue;
  readonly after: AnyMachineSnapshot;
}

/**
 * Computes, without starting an interpreter, where an event takes a chart that must not run any further. A snapshot that the
 * chart cannot restore is replaced by the chart's first state, so that even then the actor ends in a state of its own.
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

/** The snapshot of a row as its chart understands it; null for another version of the chart or a state it does not have. */
export function restored(kind: ActorKind, row: ActorRow): AnyMachineSnapshot | null {
  if (row.machineId !== kind.machine.id || row.machineVersion !== kind.version) return null;
  const actor = createActor(kind.machine, { snapshot: row.snapshot as AnyMachineSnapshot });
  // Without an observer a snapshot in error would be thrown at the process.
  actor.subscribe({ error: () => undefined });
  const snapshot = actor.getSnapshot();
  return snapshot.status === 'active' ? snapshot : null;
}
