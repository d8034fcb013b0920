import { ServiceError } from '../../contract/base/errors.ts';
import { runtimeId as runtimeIdShape } from '../../contract/study/start.ts';
import { EvidenceChainError, type ReportLink } from '../../receipts/evidence-chain.ts';
import { foldEvents, reopenStartOf, type VerifiedRuntime } from '../../receipts/fold.ts';
import type { StoredJournalHead } from '../../storage/ledger/ledger.ts';
import { refuseDeleted } from '../supervision/deletion-rows.ts';
import { checkActorRows } from './actor-rows.ts';
import { dataRootStore, type VerifiedStore } from './data-root-store.ts';
import type { RuntimeStore } from './runtime-store.ts';

/** What a whole runtime came to. */
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
