import { ServiceError } from '../../contract/base/service-error.ts';
import { runtimeId as runtimeIdShape } from '../../contract/study/runtime-start.ts';
import { counted, type ReportLink } from '../../receipts/core/checked-link.ts';
import { EvidenceChainError } from '../../receipts/core/evidence-chain-error.ts';
import { reopenRuntime, type VerifiedRuntime } from '../../receipts/reopening/reopen-runtime.ts';
import type { JournalHead, Ledger } from '../../storage/ledger/ledger.ts';
import type { ObjectStore } from '../../storage/objects/object-store.ts';
import { checkCaptionRow } from './caption-row.ts';
import { checkExplanationRows } from './explanation-rows.ts';
import { ReadObjects } from './read-objects.ts';
import { checkStepRows } from './step-rows.ts';
import { readJournalOf, readStoredRuntime } from './stored-runtime.ts';

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

const unknown = () => new ServiceError('unknown_runtime', 'no such runtime');

/** Nobody writes here: what the row says and what the journal ends with must be the same, either way. */
function checkStatus({ execution }: VerifiedRuntime, lifecycle: string): void {
  const ending = execution?.study.conclusion ? 'terminal' : (execution?.study.stop?.lifecycle ?? lifecycle);
  if (ending !== lifecycle) throw new EvidenceChainError('row', 'snapshot.status');
}

/**
 * Verifies everything that is stored of a runtime while no host is running: the whole journal and its chain, its rows,
 * every file. Throws `unknown_runtime`, and `EvidenceChainError` at the first thing that does not hold.
 */
export async function verifyRuntime(
  { ledger, objectStore }: VerifiedStore,
  runtimeId: string,
  report: ReportLink,
): Promise<WholeRuntime> {
  if (!runtimeIdShape.safeParse(runtimeId).success) throw unknown();
  // The journal first: read from its beginning it says exactly where it breaks.
  const head = await readJournalOf(() => ledger.verifyJournal(runtimeId));
  const stored = await readStoredRuntime(ledger, runtimeId);
  if (stored === null) throw unknown();
  const { lifecycle } = stored.runtime;
  const runtime = await reopenRuntime(stored.runtime, new ReadObjects(objectStore), report);
  checkStatus(runtime, lifecycle);
  report({ link: 'row', subject: 'snapshot', contentId: null, detail: lifecycle });
  const steps = checkStepRows(ledger, runtime);
  report({ link: 'row', subject: 'steps', contentId: null, detail: counted(steps, 'row') });
  const caption = checkCaptionRow(ledger, runtime);
  if (caption !== null) report({ link: 'row', subject: 'caption', contentId: null, detail: caption });
  const explanations = checkExplanationRows(ledger, runtime);
  if (explanations > 0) {
    report({ link: 'row', subject: 'explanations', contentId: null, detail: counted(explanations, 'row') });
  }
  return { runtime, head };
}
