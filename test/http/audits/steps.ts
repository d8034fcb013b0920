import type { ExecutionContext } from 'ava';
import type { z } from 'zod';
import {
  type AssessmentAudits,
  assessmentAudits,
  type DecisionReceipts,
  decisionReceipts,
} from '../../../contract/evidence/assessment.ts';
import { type RuntimeEvidence, runtimeEvidence } from '../../../contract/study/runtime-evidence.ts';
import type { CheckedWire } from '../../host/checked-wire.ts';

export const lists = ['assessment-audits', 'decision-receipts', 'evidence', 'overview'] as const;

export const listOf = (runtimeId: string, list: string): string => `/v1/runtimes/${runtimeId}/${list}`;

/** Everything that can be read of what a runtime found and concluded. */
export interface Concluded {
  readonly audits: AssessmentAudits;
  readonly decisions: DecisionReceipts;
  readonly evidence: RuntimeEvidence;
}

/** Reads all three lists, each closed, of the same runtime and over the same journal. */
export async function concluded(t: ExecutionContext, host: CheckedWire, runtimeId: string): Promise<Concluded> {
  const read = async <Body>(list: string, schema: z.ZodType<Body>) =>
    host.granted(t, await host.get(listOf(runtimeId, list)), 200, schema);
  const answers = {
    audits: await read('assessment-audits', assessmentAudits),
    decisions: await read('decision-receipts', decisionReceipts),
    evidence: await read('evidence', runtimeEvidence),
  };
  for (const answer of Object.values(answers)) t.is(answer.runtimeId, runtimeId);
  return answers;
}

/** Expects all lists to refuse with one code, and gives what the first of them says. */
export async function damaged(t: ExecutionContext, host: CheckedWire, runtimeId: string): Promise<string> {
  const messages: string[] = [];
  for (const list of lists) {
    messages.push(host.refused(t, await host.get(listOf(runtimeId, list)), 'stored_content_inconsistent'));
  }
  t.is(new Set(messages).size, 1);
  return messages[0] ?? '';
}
