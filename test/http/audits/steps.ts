import type { ExecutionContext } from 'ava';
import type { z } from 'zod';
import { type AssessmentAudits, assessmentAudits } from '../../../contract/study/assessment-audits.ts';
import { type DecisionReceipts, decisionReceipts } from '../../../contract/study/decision-receipts.ts';
import { type RuntimeEvidence, runtimeEvidence } from '../../../contract/study/runtime-evidence.ts';
import type { HostContract } from '../host/contract.ts';
import { followed, sampleRow, startStudy, studyRequest } from '../host/study-steps.ts';

export const lists = ['assessment-audits', 'decision-receipts', 'evidence', 'overview'] as const;

export const listOf = (runtimeId: string, list: string): string => `/v1/runtimes/${runtimeId}/${list}`;

/** Everything that can be read of what a runtime found and concluded. */
export interface Concluded {
  readonly audits: AssessmentAudits;
  readonly decisions: DecisionReceipts;
  readonly evidence: RuntimeEvidence;
}

/** Reads all three lists, each closed, of the same runtime and over the same journal. */
export async function concluded(t: ExecutionContext, contract: HostContract, runtimeId: string): Promise<Concluded> {
  const read = async <Body>(list: string, schema: z.ZodType<Body>) =>
    contract.granted(t, await contract.get(listOf(runtimeId, list)), 200, schema);
  const answers = {
    audits: await read('assessment-audits', assessmentAudits),
    decisions: await read('decision-receipts', decisionReceipts),
    evidence: await read('evidence', runtimeEvidence),
  };
  for (const answer of Object.values(answers)) t.is(answer.runtimeId, runtimeId);
  return answers;
}

/** Studies the first ten seconds of the sample to the end: speech in two languages. */
export async function studiedSample(t: ExecutionContext, contract: HostContract, attempt: string): Promise<string> {
  const range = { startMs: 0, endMs: 10_000 };
  const request = studyRequest(await sampleRow(t, contract), { range, clientRequestId: attempt });
  const { runtimeId } = await startStudy(t, contract, request);
  t.is((await followed(t, contract, runtimeId)).last.lifecycle, 'terminal');
  return runtimeId;
}

/** Expects all lists to refuse with one code, and gives what the first of them says. */
export async function damaged(t: ExecutionContext, contract: HostContract, runtimeId: string): Promise<string> {
  const messages: string[] = [];
  for (const list of lists) {
    const answer = await contract.get(listOf(runtimeId, list));
    messages.push(contract.refused(t, answer, 'stored_content_inconsistent'));
  }
  t.is(new Set(messages).size, 1);
  return messages[0] ?? '';
}
