import { runtimeId as runtimeIdShape } from '../../contract/study/runtime-start.ts';
import type { ReportLink } from '../../receipts/core/checked-link.ts';
import { EvidenceChainError } from '../../receipts/core/evidence-chain-error.ts';
import { journalStart } from '../../receipts/core/journal-cursor.ts';
import { foldEvents, reopenStartOf, type VerifiedRuntime } from '../../receipts/reopening/reopen-runtime.ts';
import type { JournalHead, Ledger } from '../../storage/ledger/ledger.ts';
import type { ObjectStore } from '../../storage/objects/object-store.ts';
import { absentRuntime, refuseDeleted } from '../deletion/deletion-rows.ts';
import { checkActorRows } from './actor-rows.ts';
import { ReadObjects } from './read-objects.ts';
import { readEventsAfter, readJournalOf, readStoredRuntime } from './stored-runtime.ts';

export interface VerifiedStore {
  readonly ledger: Ledger;
  /** Newly opened, so that it hashes every file. */
  readonly objectStore: ObjectStore;
}

/** What a whole runtime came to. */
export interface WholeRuntime {
  readonly runtime: VerifiedRuntime;
  readonly head: JournalHead;
}

/** Nothing else writes here: what the row says and what the journal ends with must be the same, either way. */
function checkStatus({ execution }: VerifiedRuntime, lifecycle: string): void {
  const ending = execution?.study.conclusion ? 'terminal' : (execution?.study.stop?.lifecycle ?? lifecycle);
  if (ending !== lifecycle) throw new EvidenceChainError('row', 'snapshot.status');
}

/**
 * Verifies everything that is stored of a runtime while no host is running: the whole journal and its chain, its rows,
 * every file. Throws `unknown_runtime`, `runtime_deleted`, and `EvidenceChainError` at the first thing that does not hold.
 */
export async function verifyRuntime(
  { ledger, objectStore }: VerifiedStore,
  runtimeId: string,
  report: ReportLink,
): Promise<WholeRuntime> {
  if (!runtimeIdShape.safeParse(runtimeId).success) throw absentRuntime(ledger, runtimeId);
  refuseDeleted(ledger, runtimeId);
  // The journal first: read from its beginning it says exactly where it breaks.
  const head = await readJournalOf(() => ledger.verifyJournal(runtimeId));
  const stored = await readStoredRuntime(ledger, runtimeId);
  if (stored === null) throw absentRuntime(ledger, runtimeId);
  const pause = () => undefined;
  const ports = { content: new ReadObjects(objectStore, pause), report, pause };
  const { events } = await readEventsAfter(ledger, runtimeId, journalStart, pause);
  const runtime = await foldEvents(await reopenStartOf(stored, events.length, ports), stored, events, ports);
  checkStatus(runtime, stored.lifecycle);
  report({ link: 'row', subject: 'snapshot', contentId: null, detail: stored.lifecycle });
  checkActorRows(ledger, runtime, report);
  return { runtime, head };
}
