import { z } from 'zod';
import { contentId } from './base/grammar.ts';
import { runtimeListFields } from './study/status.ts';

const version = z.int().positive();

/**
 * Rules that decide something from records, as a tool: what they decided is recorded with their version. Another decision about the
 * same record is another version.
 */
export const ruleSet = z.strictObject({ name: z.string().min(1).max(80), version });

/**
 * By which version of a rule set a record was judged, and what its verification did. `judged_again`: this program has that version,
 * and it decided the same. `form_checked`: it has another one (`present`), so it checked form, digests and chain alone.
 */
export const judgement = z.strictObject({
  rules: ruleSet,
  present: version,
  check: z.enum(['judged_again', 'form_checked']),
});

/** One record that was judged: the link of the evidence chain, what it is called, and its stored file; null for one in the ledger. */
export const judgedRecord = z.strictObject({
  link: z.string().min(1),
  subject: z.string().min(1),
  contentId: contentId.nullable(),
  judgement,
});

/** The answer to `GET …/judgements`: every record of a runtime that rules judged, in the order in which it was verified. */
export const runtimeJudgements = z.strictObject({
  schema: z.literal('studio.local-runtime-judgements.v1'),
  ...runtimeListFields,
  judgements: z.array(judgedRecord),
});

export type RuleSet = z.infer<typeof ruleSet>;
export type Judgement = z.infer<typeof judgement>;
export type RuntimeJudgements = z.infer<typeof runtimeJudgements>;
