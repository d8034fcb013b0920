import { ServiceError } from '../../contract/base/errors.ts';
import { runtimeId as runtimeIdShape } from '../../contract/study/start.ts';
import { EvidenceChainError, type ReportLink } from '../../receipts/evidence-chain.ts';
import { foldEvents, reopenStartOf, type VerifiedRuntime } from '../../receipts/fold.ts';
import { journalStart } from '../../receipts/journal.ts';
import type { Ledger, StoredJournalHead } from '../../storage/ledger/ledger.ts';
import type { ObjectStore } from '../../storage/objects/object-store.ts';
import { actorRow } from '../supervision/actor-row.ts';
import { refuseDeleted } from '../supervision/deletion-rows.ts';
import { ReadObjects } from './read-objects.ts';
import {
  checkActorRows,
  type LaterActor,
  type RuntimeStore,
  readEventsAfter,
  readJournalOf,
  readRow,
  readStoredRuntime,
} from './stored-runtime.ts';

interface VerifiedStore {
  readonly ledger: Ledger;
  /** Newly opened, so that it hashes every file. */
  readonly objectStore: ObjectStore;
}

const pause = (): void => undefined;

/** The runtimes of a data root that no host writes to. */
const dataRootStore = ({ ledger, objectStore }: VerifiedStore): RuntimeStore => ({
  content: new ReadObjects(objectStore, pause),
  verifyJournal: (runtimeId) => readJournalOf(() => ledger.verifyJournal(runtimeId)),
  readStored: (runtimeId) => readStoredRuntime(ledger, runtimeId),
  readEvents: async (runtimeId) => (await readEventsAfter(ledger, runtimeId, journalStart, pause)).events,
  statusOf: (actor) => statusOfRow(ledger, actor),
});

/** The state in the row of an actor. Throws `EvidenceChainError` of the row if it is missing or damaged. */
export function statusOfRow(ledger: Pick<Ledger, 'get'>, { name, id }: LaterActor): string {
  const stored = readRow(name, () => ledger.get('snapshot', id));
  if (stored === undefined) throw new EvidenceChainError('row', `${name}: missing`);
  return readRow(name, () => actorRow.parse(stored)).status;
}

/** The result of the verification of a whole runtime. */
export interface WholeRuntime {
  readonly runtime: VerifiedRuntime;
  readonly head: StoredJournalHead;
}

const unknown = (): ServiceError => new ServiceError('unknown_runtime', 'no such runtime');

/** Nothing else writes here: what the row says and what the journal ends with must be the same, either way. */
function checkStatus({ execution }: VerifiedRuntime, lifecycle: string): void {
  const ending = execution?.study.conclusion ? 'terminal' : (execution?.study.stop?.lifecycle ?? lifecycle);
  if (ending !== lifecycle) throw new EvidenceChainError('row', 'snapshot.status');
}

/**
 * Verifies everything that a data root without a running host stores of a runtime. Throws `runtime_deleted`, and as
 * `verifyStoredRuntime`.
 */
export async function verifyRuntime(
  store: VerifiedStore,
  runtimeId: string,
  report: ReportLink,
): Promise<WholeRuntime> {
  refuseDeleted(store.ledger, runtimeId);
  return verifyStoredRuntime(dataRootStore(store), runtimeId, report);
}

/**
 * Verifies everything that is stored of a runtime while no host writes it: the whole journal and its chain, its rows, every
 * file. Throws `unknown_runtime`, and `EvidenceChainError` at the first thing that does not hold.
 */
export async function verifyStoredRuntime(
  store: RuntimeStore,
  runtimeId: string,
  report: ReportLink,
): Promise<WholeRuntime> {
  if (!runtimeIdShape.safeParse(runtimeId).success) throw unknown();
  // The journal first: read from its beginning it says exactly where it breaks.
  const head = await store.verifyJournal(runtimeId);
  const stored = await store.readStored(runtimeId);
  if (stored === null) throw unknown();
  const ports = { content: store.content, report, pause: () => undefined };
  const events = await store.readEvents(runtimeId);
  const runtime = await foldEvents(await reopenStartOf(stored, events.length, ports), stored, events, ports);
  checkStatus(runtime, stored.lifecycle);
  report({ link: 'row', subject: 'snapshot', contentId: null, detail: stored.lifecycle });
  checkActorRows(store, runtime, report);
  return { runtime, head };
}
