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
  readonly before: StateValue | null;
  readonly after: AnyMachineSnapshot;
}

/**
 * Computes, without starting an interpreter, where an event takes a chart that must not run any further. A snapshot that the
 * chart cannot restore is replaced by the chart's first state, so that even then the actor ends in a state of its own.
 */
export function endedRow(kind: ActorKind, row: ActorRow | null, input: unknown, event: AnyEventObject): EndedRow {
  const current = restored(kind, row) ?? initialTransition(kind.machine, input)[0];
  const [after, actions] = transition(kind.machine, current, event);
  const facts = actions.flatMap((action: { type: string; params?: unknown }) =>
    action.type === 'xstate.emit' ? [(action.params as { event: EventObject }).event] : [],
  );
  return {
    facts,
    before: row === null ? null : current.value,
    after,
    row: {
      kind: kind.name,
      machineId: kind.machine.id,
      machineVersion: kind.version,
      input,
      status: kind.status(after.value),
      updatedAt: 0,
      ticket: null,
      resumes: row?.resumes ?? 0,
      totalResumes: row?.totalResumes ?? 0,
      remainingMs: null,
      snapshot: kind.machine.getPersistedSnapshot(after),
    },
  };
}

function restored(kind: ActorKind, row: ActorRow | null): AnyMachineSnapshot | null {
  if (row === null || row.machineVersion !== kind.version) return null;
  const actor = createActor(kind.machine, { snapshot: row.snapshot as AnyMachineSnapshot });
  // Without an observer a snapshot in error would be thrown at the process.
  actor.subscribe({ error: () => undefined });
  const snapshot = actor.getSnapshot();
  return snapshot.status === 'active' ? snapshot : null;
}
