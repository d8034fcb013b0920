import { randomUUID } from 'node:crypto';
import { access, constants, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { systemClock } from '../../actors/supervision/system-clock.ts';
import { escapedText } from '../../contract/base/grammar.ts';
import { EvaluationFault } from '../../contract/evaluation.ts';
import { failureLine, StartError } from '../../options/failures.ts';
import { report } from '../../options/outputs.ts';
import { makeFolder } from '../../storage/objects/durable-file.ts';
import type { Feature } from '../feature.ts';
import {
  acceptBaseline,
  type Evaluation,
  evaluationDrawing,
  evaluationLines,
  evaluationOf,
  keepReceipt,
  loadBaseline,
  withDataRoot,
} from './accepted-receipt.ts';
import { evaluatePack } from './evaluate-pack.ts';
import { openPackFolder } from './labeled-media.ts';
import { type EvaluateOptions, evaluateOptions } from './options.ts';

const print = (line: string): void => void process.stdout.write(`${escapedText(line)}\n`);

/** Aborts once a signal asks the process to end, so that it can leave nothing behind. */
function stopSignal(): AbortSignal {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => stop.abort(new EvaluationFault('evaluation_stopped', signal)));
  }
  return stop.signal;
}

/** The accepted receipt. One that is to be replaced need not fit; a comparison needs one that does. */
async function baselineOf({ baseline, accept }: EvaluateOptions, packContentId: string) {
  try {
    const accepted = await loadBaseline(baseline, packContentId);
    if (accepted === null && !accept) throw new EvaluationFault('baseline_missing', `${baseline}: --accept writes one`);
    return accepted;
  } catch (error) {
    if (accept && error instanceof EvaluationFault) return null;
    throw error;
  }
}

const isFolder = async (path: string): Promise<boolean | null> =>
  (await stat(path).catch(() => null))?.isDirectory() ?? null;

/** Makes the folder of the receipts. Throws unless each result has a place: a pack may be studied for hours before it. */
async function demandPlaces({ receipts, baseline, accept, report }: EvaluateOptions): Promise<void> {
  if (receipts !== null) {
    if ((await isFolder(receipts)) === false)
      throw new StartError('invalid_flags', `--receipts ${receipts} is not a folder`);
    await makeFolder(receipts);
    await access(receipts, constants.W_OK | constants.X_OK);
  }
  const files = { baseline: accept ? baseline : null, report };
  for (const [flag, file] of Object.entries(files)) {
    if (file === null) continue;
    if (await isFolder(file)) throw new StartError('invalid_flags', `--${flag} ${file} is a folder`);
    await access(dirname(file), constants.W_OK | constants.X_OK);
  }
}

async function evaluate(options: EvaluateOptions): Promise<Evaluation> {
  const signal = stopSignal();
  const pack = await openPackFolder(options.pack);
  const baseline = await baselineOf(options, pack.contentId);
  await demandPlaces(options);
  const receipt = await withDataRoot(options.dataRoot, (dataRoot) =>
    evaluatePack({
      pack,
      dataRoot,
      environment: process.env,
      features: options.features.map((configure) => configure(process.env)),
      clock: systemClock,
      newId: randomUUID,
      report,
      signal,
    }),
  );
  if (options.receipts !== null) await keepReceipt(options.receipts, receipt);
  if (options.accept) await acceptBaseline(options.baseline, receipt);
  return evaluationOf(receipt, baseline, options.accept);
}

const wholePack = 'name a folder with a whole pack: its pack.json, and every file that it names';

/** An error with neither code nor reason is a fault of this program. */
function described(error: unknown): string {
  if (error instanceof EvaluationFault && error.code === 'pack_file_missing') return `${error.message}; ${wholePack}`;
  const isCoded = !(error instanceof Error) || 'reason' in error || 'code' in error;
  return isCoded ? failureLine(error) : (error.stack ?? error.message);
}

/** Evaluates a pack. Sets the exit code: 1 for a regression, 2 for an evaluation that failed. */
export async function runEvaluation(args: readonly string[], features: readonly Feature[]): Promise<void> {
  try {
    const options = evaluateOptions(args, features);
    const evaluation = await evaluate(options);
    if (options.json) print(JSON.stringify(evaluation));
    else for (const line of evaluationLines(evaluation)) print(line);
    if (options.report !== null) await writeFile(options.report, evaluationDrawing(evaluation));
    process.exitCode = evaluation.verdict === 'regression' ? 1 : 0;
  } catch (error) {
    report(described(error));
    process.exitCode = 2;
  }
}
