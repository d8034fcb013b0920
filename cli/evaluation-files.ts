import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EvaluationFault } from '../contract/evaluation/evaluation-fault.ts';
import type { EvaluationReceipt } from '../contract/evaluation/evaluation-receipt.ts';
import { contentIdOf, storedBytes } from '../receipts/core/canonical-json.ts';
import { readBaseline } from '../receipts/evaluation/evaluation-receipt.ts';
import { makeFolder } from '../storage/objects/durable-file.ts';

const isMissing = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT';

/** The accepted receipt of a pack, or null where there is no such file. Throws `EvaluationFault` of baselines. */
export async function loadBaseline(file: string, packContentId: string): Promise<EvaluationReceipt | null> {
  const bytes = await readFile(file).catch((error: unknown) => {
    if (isMissing(error)) return null;
    throw new EvaluationFault('baseline_malformed', 'baseline: unreadable', error);
  });
  return bytes === null ? null : readBaseline(bytes, packContentId);
}

/** Makes a receipt the accepted one: whole or not at all, and indented, so that a review sees what changed. */
export async function acceptBaseline(file: string, receipt: EvaluationReceipt): Promise<void> {
  const draft = `${file}.new`;
  await writeFile(draft, `${JSON.stringify(receipt, null, 2)}\n`);
  await rename(draft, file);
}

/** Writes a receipt in its stored form, under the hex of its content id. */
export async function keepReceipt(folder: string, receipt: EvaluationReceipt): Promise<void> {
  await makeFolder(folder);
  const name = contentIdOf(receipt).slice('sha256:'.length);
  await writeFile(join(folder, `${name}.json`), storedBytes(receipt));
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
