import { counted, type ReportLink } from '../../receipts/core/checked-link.ts';
import { EvidenceChainError } from '../../receipts/core/evidence-chain-error.ts';
import type { VerifiedTail } from '../../receipts/reopening/fold-tail.ts';
import type { VerifiedRuntime } from '../../receipts/reopening/reopen-runtime.ts';
import type { Ledger } from '../../storage/ledger/ledger.ts';
import { actorRow } from '../supervision/actor-row.ts';
import { readRow } from './stored-runtime.ts';

/** An actor that the journal speaks of: how its row may stand. Work under way has not been written down yet. */
interface ExpectedActor {
  readonly name: 'caption' | 'explanation';
  readonly id: string;
  readonly statuses: readonly string[];
}

function expectedActors({ captions, explanations }: VerifiedTail): ExpectedActor[] {
  const expected: ExpectedActor[] = [];
  if (captions.caption !== null) {
    const { reference, qualityControl } = captions.caption;
    const statuses = qualityControl === null ? ['checking', 'unchecked'] : ['checked'];
    expected.push({ name: 'caption', id: reference.jobId, statuses });
  }
  for (const { jobId, state } of explanations.attempts) {
    expected.push({ name: 'explanation', id: jobId, statuses: [state] });
  }
  return expected;
}

function statusOf(ledger: Ledger, { name, id, statuses }: ExpectedActor): string {
  const stored = readRow(name, () => ledger.get('snapshot', id));
  if (stored === undefined) throw new EvidenceChainError('row', `${name}: missing`);
  const { status } = readRow(name, () => actorRow.parse(stored));
  if (!statuses.includes(status)) throw new EvidenceChainError('row', `${name}.status`);
  return status;
}

/**
 * Holds the rows of the actors of a runtime's later stages, which say what may still be done, against the journal. Throws
 * `EvidenceChainError` of the row.
 */
export function checkActorRows(ledger: Ledger, { execution }: VerifiedRuntime, report: ReportLink): void {
  const expected = execution === null ? [] : expectedActors(execution.study.tail);
  const statuses = expected.map((actor) => statusOf(ledger, actor));
  for (const [at, { name }] of expected.entries()) {
    if (name === 'explanation') continue;
    report({ link: 'row', subject: name, contentId: null, detail: statuses[at] ?? '' });
  }
  const explanations = expected.filter(({ name }) => name === 'explanation').length;
  if (explanations === 0) return;
  report({ link: 'row', subject: 'explanations', contentId: null, detail: counted(explanations, 'row') });
}
