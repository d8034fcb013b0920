import type { EvaluationReceipt } from '../contract/evaluation/evaluation-receipt.ts';
import { contentIdOf } from '../receipts/core/canonical-json.ts';
import {
  type Change,
  type ComparedMeasure,
  compareEvaluations,
  type Measure,
  measuresOf,
} from '../receipts/evaluation/evaluation-comparison.ts';

/** What an evaluation came to, as `--json` prints it. */
export interface Evaluation {
  readonly schema: 'studio.evaluation.v1';
  /** `accepted` where this receipt has become the baseline. */
  readonly verdict: 'equal' | 'better' | 'regression' | 'accepted';
  readonly receiptContentId: string;
  readonly receipt: EvaluationReceipt;
  readonly baselineReceiptId: string | null;
  /** Empty where there was no baseline. */
  readonly measures: readonly ComparedMeasure[];
}

/** Sums up an evaluation. Without a baseline it can only have been accepted. */
export function evaluationOf(
  receipt: EvaluationReceipt,
  baseline: EvaluationReceipt | null,
  accept: boolean,
): Evaluation {
  const comparison = baseline === null ? null : compareEvaluations(receipt, baseline);
  return {
    schema: 'studio.evaluation.v1',
    verdict: comparison === null || accept ? 'accepted' : comparison.verdict,
    receiptContentId: contentIdOf(receipt),
    receipt,
    baselineReceiptId: baseline?.receiptId ?? null,
    measures: comparison?.measures ?? [],
  };
}

const marks: Record<Change, string> = { equal: 'ok  ', better: 'UP  ', tolerated: 'near', worse: 'DOWN' };

function figure({ unit }: Measure, value: number | null): string {
  if (value === null) return '-';
  if (unit === 'micro') return (value / 1_000_000).toFixed(4);
  return unit === 'us' ? `${(value / 1000).toFixed(3)} ms` : `${value} ms`;
}

const column = 42;

function measureLine(measure: Measure & Partial<ComparedMeasure>): string {
  const { name, value, baseline, change } = measure;
  const line = `${change === undefined ? '    ' : marks[change]}  ${name.padEnd(column)} ${figure(measure, value)}`;
  return change === undefined || change === 'equal'
    ? line
    : `${line}  (accepted: ${figure(measure, baseline ?? null)})`;
}

/** For people: a line for each measure, beside the accepted value where it is another, and the verdict. */
export function evaluationLines({
  verdict,
  receipt,
  receiptContentId,
  baselineReceiptId,
  measures,
}: Evaluation): string[] {
  const listed = measures.length > 0 ? measures : measuresOf(receipt.totals);
  return [
    ...listed.map(measureLine),
    '',
    `pack ${receipt.pack.contentId}`,
    `receipt ${receipt.receiptId}, content ${receiptContentId}`,
    `${verdict}: ${baselineReceiptId === null ? 'there was no baseline' : `baseline ${baselineReceiptId}`}`,
  ];
}
