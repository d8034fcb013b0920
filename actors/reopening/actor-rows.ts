import { countText, EvidenceChainError, type ReportLink } from '../../receipts/evidence-chain.ts';
import type { VerifiedRuntime, VerifiedTail } from '../../receipts/fold.ts';
import type { LaterActor, RuntimeStore } from './runtime-store.ts';

/** An actor that the journal speaks of: how its row may stand. Work under way has not been written down yet. */
interface ExpectedActor extends LaterActor {
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

/** The actors of a runtime's later stages whose rows its journal speaks of. */
export const laterActorsOf = ({ execution }: VerifiedRuntime): readonly ExpectedActor[] =>
  execution === null ? [] : expectedActors(execution.study.tail);

function statusOf(store: Pick<RuntimeStore, 'statusOf'>, { name, id, statuses }: ExpectedActor): string {
  const status = store.statusOf({ name, id });
  if (!statuses.includes(status)) throw new EvidenceChainError('row', `${name}.status`);
  return status;
}

/**
 * Holds the rows of the actors of a runtime's later stages, which say what may still be done, against the journal. Throws
 * `EvidenceChainError` of the row.
 */
export function checkActorRows(
  store: Pick<RuntimeStore, 'statusOf'>,
  runtime: VerifiedRuntime,
  report: ReportLink,
): void {
  const expected = laterActorsOf(runtime);
  const statuses = expected.map((actor) => statusOf(store, actor));
  for (const [at, { name }] of expected.entries()) {
    if (name === 'explanation') continue;
    report({ link: 'row', subject: name, contentId: null, detail: statuses[at] ?? '' });
  }
  const explanations = expected.filter(({ name }) => name === 'explanation').length;
  if (explanations === 0) return;
  report({ link: 'row', subject: 'explanations', contentId: null, detail: countText(explanations, 'row') });
}
