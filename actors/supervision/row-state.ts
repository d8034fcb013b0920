import { type AnyMachineSnapshot, createActor } from 'xstate';
import type { Write } from '../../storage/ledger/ledger.ts';
import type { ActorDefinition, Phase } from './actor-definition.ts';
import { type ActorRow, snapshotValue, storedSnapshot } from './actor-row.ts';
import { type Cause, recordedWrites } from './transition-rows.ts';

/** Where a row says that its actor stands towards its workers. */
export const phaseOf = (definition: ActorDefinition, row: ActorRow): Phase => definition.phase(snapshotValue(row));

/** Whether an actor in this row has to be taken up by the next start. */
export function isTakenUp(definition: ActorDefinition, row: ActorRow): boolean {
  const phase = phaseOf(definition, row);
  return phase !== 'ended' && phase !== 'passivated';
}

/** What the commit of a row that follows `previous` holds: the row, its place among the live actors, and the transition. */
export const rowWrites = (
  definition: ActorDefinition,
  id: string,
  previous: ActorRow | null,
  row: ActorRow,
  why: Cause,
): Write[] => [
  { put: 'snapshot', key: id, value: row },
  ...liveIndexWrites(definition, id, previous, row),
  ...recordedWrites(id, row, why),
];

/** What a row that follows `previous` changes in the index of live actors. */
function liveIndexWrites(definition: ActorDefinition, id: string, previous: ActorRow | null, row: ActorRow): Write[] {
  if (!isTakenUp(definition, row)) return [{ del: 'live', key: id }];
  if (previous !== null && isTakenUp(definition, previous)) return [];
  return [{ put: 'live', key: id, value: { kind: definition.name } }];
}

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
    snapshot: storedSnapshot.parse(definition.machine.getPersistedSnapshot(snapshot)),
  };
}
