import { EvidenceChainError } from '../../receipts/evidence-chain.ts';
import { journalStart } from '../../receipts/journal.ts';
import type { Ledger } from '../../storage/ledger/ledger.ts';
import type { ObjectStore } from '../../storage/objects/object-store.ts';
import { actorRow } from '../supervision/actor-row.ts';
import { ReadObjects } from './read-objects.ts';
import type { LaterActor, RuntimeStore } from './runtime-store.ts';
import { readEventsAfter, readJournalOf, readRow, readStoredRuntime } from './stored-runtime.ts';

export interface VerifiedStore {
  readonly ledger: Ledger;
  /** Newly opened, so that it hashes every file. */
  readonly objectStore: ObjectStore;
}

const pause = (): void => undefined;

/** The runtimes of a data root that no host writes to. */
export const dataRootStore = ({ ledger, objectStore }: VerifiedStore): RuntimeStore => ({
  content: new ReadObjects(objectStore, pause),
  verifyJournal: (runtimeId) => readJournalOf(() => ledger.verifyJournal(runtimeId)),
  readStored: (runtimeId) => readStoredRuntime(ledger, runtimeId),
  readEvents: async (runtimeId) => (await readEventsAfter(ledger, runtimeId, journalStart, pause)).events,
  statusOf: (actor) => statusOfRow(ledger, actor),
});

/** The state in which the row of an actor stands. Throws `EvidenceChainError` of the row when it is missing or damaged. */
export function statusOfRow(ledger: Pick<Ledger, 'get'>, { name, id }: LaterActor): string {
  const stored = readRow(name, () => ledger.get('snapshot', id));
  if (stored === undefined) throw new EvidenceChainError('row', `${name}: missing`);
  return readRow(name, () => actorRow.parse(stored)).status;
}
