import type { ExecutionContext } from 'ava';
import { z } from 'zod';
import { runVerify } from '../../cli/verify-command.ts';
import { judgement } from '../../contract/judgement.ts';
import { newDataRoot, openStore, store } from '../actors/reopening/stored-studies.ts';
import { storedStudy } from '../receipts/evidence/stored-study.ts';
import type { Ended } from './command.ts';

export const study = storedStudy({ version: 3, windows: 4 });
export const { runtimeId } = study.run.record;

/** Runs `verify` in this process. */
export async function verify(...args: readonly string[]): Promise<Ended> {
  const ending = { stdout: '', stderr: '' };
  const exit = await runVerify(args, {
    stdout: (text) => (ending.stdout += text),
    stderr: (text) => (ending.stderr += text),
  });
  return { exit, ...ending };
}

/** An unused data root that holds the study. */
export async function storedRoot(t: ExecutionContext): Promise<string> {
  const root = await newDataRoot(t);
  const opened = await openStore(root);
  await store(opened, study);
  await opened.close();
  return root;
}

export const linesOf = ({ stdout }: Ended): string[] => stdout.split('\n');

/** The output of `--json` about the runtime. */
export const verification = z.strictObject({
  schema: z.literal('studio.runtime-verification.v1'),
  runtimeId: z.literal(runtimeId),
  verdict: z.enum(['intact', 'damaged']),
  journalHead: z
    .string()
    .regex(/^\d+;sha256=[a-f0-9]{64}$/)
    .nullable(),
  checked: z.array(
    z.strictObject({
      link: z.string(),
      subject: z.string(),
      contentId: z.string().nullable(),
      detail: z.string(),
      judgement: judgement.optional(),
    }),
  ),
  fault: z.strictObject({ link: z.string(), place: z.string(), contentId: z.string().nullable() }).nullable(),
});
