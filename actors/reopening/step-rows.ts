import { demandDerived, EvidenceChainError } from '../../receipts/core/evidence-chain-error.ts';
import { referenceOf } from '../../receipts/core/receipt-output.ts';
import type { VerifiedRuntime } from '../../receipts/reopening/reopen-runtime.ts';
import type { Ledger } from '../../storage/ledger/ledger.ts';
import { stepKey } from '../study/study-row.ts';
import { readRow } from './stored-runtime.ts';

/** What one step of a study has to have left in the ledger for the next ones. */
interface StepRow {
  readonly step: string;
  readonly value: object;
  /** A step that found nothing leaves no trace in the journal: then its row may not be there yet. */
  readonly isDue: boolean;
}

type Referenced = { readonly operationId: string };

const referencesRow = (step: string, receipts: readonly Referenced[], isDue: boolean): StepRow => ({
  step,
  value: { operationIds: receipts.map(({ operationId }) => operationId), receipts: [...receipts] },
  isDue,
});

function stepRowsOf({ accepted, execution }: VerifiedRuntime): StepRow[] {
  if (execution === null) return [];
  const { startedAt } = execution.opened;
  const { findings, conclusion } = execution.study;
  const { runtimeId } = accepted.record;
  const { operations, assessments, decision } = findings;
  const isConcluded = conclusion !== null;
  const media = operations.map(
    ({ receipt, artifacts }): StepRow => ({
      step: receipt.capability === 'media.detect' ? 'detect' : 'subtitles',
      value: { operationIds: [receipt.operationId], receipt, artifacts },
      isDue: true,
    }),
  );
  const reads = findings.reads.map(({ contentId, body }) => ({
    operationId: body.operationId,
    receiptId: body.receiptId,
    receiptContentId: contentId,
  }));
  const assessed = assessments.map(({ body }) => referenceOf(runtimeId, body));
  return [
    { step: 'initialize', value: { startedAt }, isDue: true },
    ...media,
    referencesRow('read', reads, isConcluded || reads.length > 0),
    referencesRow('assess', assessed, isConcluded || assessed.length > 0),
    ...(decision === null ? [] : [referencesRow('decide', [referenceOf(runtimeId, decision.body)], true)]),
    ...(isConcluded
      ? [{ step: 'admit', value: { study: conclusion.study, admission: conclusion.admission }, isDue: true }]
      : []),
  ];
}

/**
 * Holds the rows that the steps of a study left against its journal, which says the same. Throws `EvidenceChainError` of
 * the first row that is missing, damaged or says something else. Returns how many there are.
 */
export function checkStepRows(ledger: Ledger, runtime: VerifiedRuntime): number {
  const { runtimeId } = runtime.accepted.record;
  const rows = stepRowsOf(runtime);
  for (const { step, value, isDue } of rows) {
    const stored = readRow(step, () => ledger.get('record', stepKey(runtimeId, step)));
    if (stored === undefined && !isDue) continue;
    if (stored === undefined) throw new EvidenceChainError('row', `${step}: missing`);
    demandDerived('row', { [step]: stored }, { [step]: value });
  }
  return rows.length;
}
