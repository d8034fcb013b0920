import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { EvaluationFault, type EvaluationReceipt } from '../../contract/evaluation.ts';
import { contentIdOfJson, storedBytes } from '../../formats/canonical-json.ts';
import {
  type ComparedMeasure,
  compareEvaluations,
  estimatedMeasures,
  type Interval,
  measuresOf,
  type ScoreChange,
  type ScoreMeasure,
} from '../../receipts/evaluation/comparison.ts';
import { readBaseline } from '../../receipts/evaluation/receipt.ts';
import { makeFolder, syncChosenFolder } from '../../storage/objects/durable-file.ts';
import { failedWith } from '../../storage/objects/object-store-error.ts';
import { type DrawnMeasure, drawnMeasures } from '../../visualizer/drawing/measure-drawing.ts';

/** The result of an evaluation, as `--json` prints it. */
export interface Evaluation {
  readonly schema: 'studio.evaluation.v1';
  /** `accepted` where this receipt has become the baseline. */
  readonly verdict: 'equal' | 'better' | 'regression' | 'accepted';
  readonly receiptContentId: string;
  readonly receipt: EvaluationReceipt;
  readonly baselineReceiptId: string | null;
  /** Empty where there was no baseline. */
  readonly measures: readonly ComparedMeasure[];
  /** The uncertainty of each measure from the choice of the files, by its name; for a pack of one file it is unknown. */
  readonly intervals: Readonly<Record<string, Interval>>;
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
    receiptContentId: contentIdOfJson(receipt),
    receipt,
    baselineReceiptId: baseline?.receiptId ?? null,
    measures: comparison?.measures ?? [],
    intervals: Object.fromEntries(
      estimatedMeasures(receipt).flatMap(({ name, interval }) => (interval === null ? [] : [[name, interval]])),
    ),
  };
}

const marks: Record<ScoreChange, string> = { equal: 'ok  ', better: 'UP  ', tolerated: 'near', worse: 'DOWN' };

function figure({ unit }: ScoreMeasure, value: number | null): string {
  if (value === null) return '-';
  if (unit === 'micro') return (value / 1_000_000).toFixed(4);
  return unit === 'us' ? `${(value / 1000).toFixed(3)} ms` : `${value} ms`;
}

/** The drawn report: every measure that is a share or whole milliseconds, with its interval and the accepted value. */
export function evaluationDrawing({ receipt, measures, intervals }: Evaluation): string {
  const accepted = new Map(measures.map(({ name, baseline }) => [name, baseline]));
  const drawn = measuresOf(receipt.totals).flatMap(({ name, unit, value, better }): DrawnMeasure[] => {
    if (unit === 'us' || value === null) return [];
    const drawnAs = (number: number): number => (unit === 'micro' ? number / 1_000_000 : number);
    const interval = intervals[name];
    const baseline = accepted.get(name) ?? null;
    return [
      {
        name,
        better,
        unit: unit === 'micro' ? 'share' : 'ms',
        value: drawnAs(value),
        interval: interval === undefined ? null : { low: drawnAs(interval.low), high: drawnAs(interval.high) },
        baseline: baseline === null ? null : drawnAs(baseline),
      },
    ];
  });
  return drawnMeasures(`Evaluation of ${receipt.pack.itemCount} items`, drawn);
}

const column = 42;

function measureLine(measure: ScoreMeasure & Partial<ComparedMeasure>, interval: Interval | undefined): string {
  const { name, value, baseline, change } = measure;
  const range = interval === undefined ? '' : `  [${figure(measure, interval.low)}, ${figure(measure, interval.high)}]`;
  const mark = change === undefined ? '    ' : marks[change];
  const line = `${mark}  ${name.padEnd(column)} ${figure(measure, value)}${range}`;
  return change === undefined || change === 'equal'
    ? line
    : `${line}  (accepted: ${figure(measure, baseline ?? null)})`;
}

/** For people: a line for each measure, beside the accepted value if they differ, and the verdict. */
export function evaluationLines({
  verdict,
  receipt,
  receiptContentId,
  baselineReceiptId,
  measures,
  intervals,
}: Evaluation): string[] {
  const listed = measures.length > 0 ? measures : measuresOf(receipt.totals);
  return [
    ...listed.map((measure) => measureLine(measure, intervals[measure.name])),
    '',
    `pack ${receipt.pack.contentId}`,
    `receipt ${receipt.receiptId}, content ${receiptContentId}`,
    `${verdict}: ${baselineReceiptId === null ? 'there was no baseline' : `baseline ${baselineReceiptId}`}`,
  ];
}

/** The accepted receipt of a pack, or null if there is no such file. Throws `EvaluationFault` of baselines. */
export async function loadBaseline(file: string, packContentId: string): Promise<EvaluationReceipt | null> {
  const bytes = await readFile(file).catch((error: unknown) => {
    if (failedWith(error, 'ENOENT')) return null;
    throw new EvaluationFault('baseline_malformed', 'baseline: unreadable', error);
  });
  return bytes === null ? null : readBaseline(bytes, packContentId);
}

/** Makes a receipt the accepted one: whole or not at all, and indented, so that a review sees what changed. */
export async function acceptBaseline(file: string, receipt: EvaluationReceipt): Promise<void> {
  const draft = `${file}.new`;
  await writeFile(draft, `${JSON.stringify(receipt, null, 2)}\n`, { flush: true });
  await rename(draft, file);
  await syncChosenFolder(dirname(file));
}

/** Writes a receipt in its stored form, under the hex of its content id. */
export async function keepReceipt(folder: string, receipt: EvaluationReceipt): Promise<void> {
  await makeFolder(folder);
  const name = contentIdOfJson(receipt).slice('sha256:'.length);
  await writeFile(join(folder, `${name}.json`), storedBytes(receipt), { flush: true });
}

/** Runs `use` with the given data root, or with a new one that is removed afterwards, whatever came of it. */
export async function withDataRoot<Value>(
  given: string | null,
  use: (dataRoot: string) => Promise<Value>,
): Promise<Value> {
  if (given !== null) return use(given);
  const scratch = await mkdtemp(join(tmpdir(), 'media-study-evaluation-'));
  try {
    return await use(scratch);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
