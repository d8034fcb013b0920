import { type AnyMachineSnapshot, createActor } from 'xstate';
import type { ActorDefinition } from './actor-definition.ts';
import type { ActorRow } from './actor-row.ts';

/** The snapshot of a row as its chart understands it; null for another version of the chart or a state it does not have. */
export function restored(definition: ActorDefinition, row: ActorRow): AnyMachineSnapshot | null {
  if (row.machineId !== definition.machine.id || row.machineVersion !== definition.version) return null;
  const actor = createActor(definition.machine, { snapshot: row.snapshot as AnyMachineSnapshot });
  // Without an observer a snapshot in error would be thrown at the process.
  actor.subscribe({ error: () => undefined });
  const snapshot = actor.getSnapshot();
  return snapshot.status === 'active' ? snapshot : null;
}

/**
 * The row of an actor that its chart cannot restore, put where the actor's record says that it stands; null where the record
 * says that it is over. Rejects when the record cannot be read.
 */
export async function restatedRow(definition: ActorDefinition, row: ActorRow): Promise<ActorRow | null> {
  const standing = await definition.standing(row);
  if (standing === null) return null;
  const snapshot = definition.machine.resolveState(standing);
  return {
    ...row,
    machineId: definition.machine.id,
    machineVersion: definition.version,
    status: definition.status(snapshot.value),
    snapshot: definition.machine.getPersistedSnapshot(snapshot),
  };
}
