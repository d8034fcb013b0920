import { type AnyMachineSnapshot, createActor } from 'xstate';
import type { Write } from '../../storage/ledger/ledger.ts';
import type { ActorDefinition, Phase } from './actor-definition.ts';
import { type ActorRow, snapshotValue, storedSnapshot } from './actor-row.ts';
import { recordedWrites, type TransitionCause } from './transition-rows.ts';

/** The phase of an actor by its row. */
export const phaseOf = (definition: ActorDefinition, row: ActorRow): Phase => definition.phase(snapshotValue(row));

/** True if the next start has to resume an actor with this row. */
export function isTakenUp(definition: ActorDefinition, row: ActorRow): boolean {
  const phase = phaseOf(definition, row);
  return phase !== 'ended' && phase !== 'passivated';
}

/** The writes of the commit of a row that follows `previous`: the row, its place among the live actors, and the transition. */
export const rowWrites = (
  definition: ActorDefinition,
  id: string,
  previous: ActorRow | null,
  row: ActorRow,
  why: TransitionCause,
): Write[] => [
  { put: 'snapshot', key: id, value: row },
  ...liveIndexWrites(definition, id, previous, row),
  ...recordedWrites(id, row, why),
];

/** The changes of the index of live actors by a row that follows `previous`. */
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
 * The row of an actor that its chart cannot restore, moved to the state in the actor's record. Null if by the record it is over.
 * Rejects if the record cannot be read.
 */
export async function restatedRow(definition: ActorDefinition, row: ActorRow): Promise<ActorRow | null> {
  const position = await definition.storedPosition(row);
  if (position === null) return null;
  const snapshot = definition.machine.resolveState(position);
  return {
    ...row,
    machineId: definition.machine.id,
    machineVersion: definition.version,
    status: definition.status(snapshot.value),
    snapshot: storedSnapshot.parse(definition.machine.getPersistedSnapshot(snapshot)),
  };
}
