import type { Write } from '../../storage/ledger/ledger.ts';
import type { ActorDefinition, Phase } from './actor-definition.ts';
import { type ActorRow, snapshotValue } from './actor-row.ts';
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
