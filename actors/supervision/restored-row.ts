import { type AnyMachineSnapshot, createActor } from 'xstate';
import type { ActorKind } from './actor-kind.ts';
import type { ActorRow } from './actor-row.ts';

/** The snapshot of a row as its chart understands it; null for another version of the chart or a state it does not have. */
export function restored(kind: ActorKind, row: ActorRow): AnyMachineSnapshot | null {
  if (row.machineId !== kind.machine.id || row.machineVersion !== kind.version) return null;
  const actor = createActor(kind.machine, { snapshot: row.snapshot as AnyMachineSnapshot });
  // Without an observer a snapshot in error would be thrown at the process.
  actor.subscribe({ error: () => undefined });
  const snapshot = actor.getSnapshot();
  return snapshot.status === 'active' ? snapshot : null;
}

/**
 * The row of an actor that its chart cannot restore, put where the actor's record says that it stands; null where the record
 * says that it is over. Rejects when the record cannot be read.
 */
export async function restatedRow(kind: ActorKind, row: ActorRow): Promise<ActorRow | null> {
  const standing = await kind.standing(row);
  if (standing === null) return null;
  const snapshot = kind.machine.resolveState(standing);
  return {
    ...row,
    machineId: kind.machine.id,
    machineVersion: kind.version,
    status: kind.status(snapshot.value),
    snapshot: kind.machine.getPersistedSnapshot(snapshot),
  };
}
