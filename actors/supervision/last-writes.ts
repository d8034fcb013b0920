import type { Write } from '../../storage/ledger/ledger.ts';
import type { ActorChange, ActorDefinition } from './actor-definition.ts';

/** The last writes of an actor that is ended from outside; `rows` leaves out a journal that cannot be trusted. */
export type LastEntries = 'all' | 'rows' | 'none';

/** The last entries of an actor. It ends even when what it would write cannot be worked out. */
export function lastWrites(
  definition: ActorDefinition,
  change: ActorChange,
  entries: LastEntries,
  report: (line: string) => void,
): readonly Write[] {
  if (entries === 'none') return [];
  try {
    const writes = definition.writes(change);
    return entries === 'all' ? writes : writes.filter((write) => !('append' in write));
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    report(`${definition.name} ${change.id} ends without its last entries: ${message}`);
    return [];
  }
}
