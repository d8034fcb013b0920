import { z } from 'zod';
import { contentId } from '../base/grammar.ts';
import { artifactId } from '../base/operation.ts';
import { decisionReference } from '../evidence/evidence-decision.ts';

/** Largest stored receipt of the review chain, in bytes. */
export const maximumReviewReceiptBytes = 64 * 1024;

/** A study as later records name it: its record, and the receipt of the execution that made it. */
export const studyReference = z.strictObject({
  studyId: z.string().regex(/^study:[a-f0-9]{64}$/),
  artifactId,
  contentId,
  executorReceiptId: z.string().regex(/^span:[a-f0-9]{64}$/),
  executorReceiptContentId: contentId,
});

const readinessId = z.string().regex(/^study-readiness:[a-f0-9]{64}$/);
const receiptId = z.string().regex(/^study-readiness-receipt:[a-f0-9]{64}$/);

/** A readiness receipt as an intake names it. */
export const readinessReference = z.strictObject({ readinessId, artifactId, receiptId, receiptContentId: contentId });

/** Why a study is not put before a reviewer, in the order in which it is said. */
export const gapReasons = ['hidden_gap', 'non_supported_root_coverage'] as const;

export const gapReason = z.enum(gapReasons);
export type GapReason = z.infer<typeof gapReason>;

/** Whether a study is ready for a reviewer: exactly when its decision says to proceed. */
export const studyReadinessReceipt = z.strictObject({
  schema: z.literal('studio.study-readiness.receipt.v1'),
  receiptId,
  readinessId,
  study: studyReference,
  decision: decisionReference.nullable(),
  producer: z.strictObject({
    id: z.literal('studio.deterministic-study-readiness-gate'),
    version: z.literal('1'),
  }),
  outcome: z.enum(['ready', 'not_ready']),
  reasonCodes: z.array(gapReason),
});

export type StudyReference = z.infer<typeof studyReference>;
export type ReadinessReference = z.infer<typeof readinessReference>;
export type StudyReadinessReceipt = z.infer<typeof studyReadinessReceipt>;
