import { z } from 'zod';
import { contentId, count, identity, identityOf } from '../base/grammar.ts';
import { artifactId } from '../base/operation.ts';
import { recordPart } from '../base/record-part.ts';
import { approvalReference } from '../review/publish-review.ts';
import { readinessReference, studyReference } from '../study/study-readiness.ts';
import { captionExecutor } from './caption-executor.ts';
import { captionJobId, captionLimits } from './caption-line.ts';
import { captionInput, captionReceipt } from './caption-production.ts';

/** Largest stored receipt of a quality control, in bytes. */
export const maximumQualityControlReceiptBytes = 128 * 1024;

/** The most decisions in one record of a check of long captions. */
export const maximumPartDecisions = 256;

/** The captions that are to be checked. */
export const qualityControlCandidate = z.strictObject({
  jobId: captionJobId,
  captionArtifactId: artifactId,
  captionContentId: contentId,
  captionReceiptId: captionReceipt.shape.receiptId,
  captionReceiptContentId: contentId,
});

/** The body of a request for a quality control. */
export const qualityControlRequest = z.strictObject({ candidate: qualityControlCandidate });

export const qualityControlPolicy = 'structural_current_run_gate_without_semantic_quality_score';

/** Why a candidate is accepted or withheld; the first that applies stands alone. */
export const qualityControlReason = z.enum([
  'recorded_fixture_test_demo_only',
  'candidate_has_no_lines',
  'candidate_has_unavailable_or_withheld_lines',
  'current_run_candidate_structurally_complete',
  'current_run_candidate_accepted_in_part',
]);

/** What a check says of one line. */
export const lineReason = z.enum(['line_structurally_complete', 'line_unavailable_or_withheld', 'test_demo_only']);

const lineDecision = z.strictObject({
  lineId: identityOf(200),
  outcome: z.enum(['accepted', 'withheld']),
  reasonCode: lineReason,
});

/** Reasons of captions that are handed out: whole, or without the lines that did not pass. */
const acceptingReasons: readonly string[] = [
  'current_run_candidate_structurally_complete',
  'current_run_candidate_accepted_in_part',
];

const verdict = {
  outcome: z.enum(['accepted', 'withheld']),
  reasonCodes: z.tuple([qualityControlReason]),
};

const isReasonOfOutcome = ({ outcome, reasonCodes }: { outcome: string; reasonCodes: [string] }): boolean =>
  (outcome === 'accepted') === acceptingReasons.includes(reasonCodes[0]);

const reasonOfOutcome = { message: 'the reason is that of the outcome', path: ['reasonCodes'] };

export const qualityControlDecision = z
  .strictObject({ ...verdict, lines: z.array(lineDecision).max(captionLimits.maxLines) })
  .refine(isReasonOfOutcome, reasonOfOutcome);

/** What was decided on lines of long captions that follow each other, as it is stored. */
export const qualityControlPart = z.strictObject({
  schema: z.literal('studio.caption-quality-control.part.v1'),
  qcId: z.string().regex(/^caption-quality-control:[a-f0-9]{64}$/),
  runId: identity,
  captionArtifactId: artifactId,
  /** Counted from 0. */
  index: count,
  lines: z.array(lineDecision).min(1).max(maximumPartDecisions),
});

/** An independent look at the structure of captions. `receiptId` is derived from everything but it and `schema`. */
export const qualityControlReceipt = z.strictObject({
  schema: z.literal('studio.caption-quality-control.receipt.v1'),
  receiptId: z.string().regex(/^caption-quality-control-receipt:[a-f0-9]{64}$/),
  qcId: z.string().regex(/^caption-quality-control:[a-f0-9]{64}$/),
  input: qualityControlCandidate,
  lineage: z.strictObject({
    candidateInput: captionInput,
    executor: captionExecutor,
    study: studyReference,
    readiness: readinessReference,
    approval: approvalReference,
  }),
  producer: z.strictObject({
    id: z.literal('studio.host-caption-quality-control'),
    version: z.literal('1'),
    independence: z.literal('separate_from_caption_executor'),
    policy: z.literal(qualityControlPolicy),
  }),
  decision: qualityControlDecision,
});

/** The same of long captions: what was decided on their lines is in parts. */
export const longQualityControlReceipt = qualityControlReceipt.extend({
  schema: z.literal('studio.caption-quality-control.receipt.v2'),
  decision: z
    .strictObject({ ...verdict, acceptedCount: count, withheldCount: count, parts: z.array(recordPart).min(1) })
    .refine(isReasonOfOutcome, reasonOfOutcome),
});

export type QualityControlCandidate = z.infer<typeof qualityControlCandidate>;
export type QualityControlRequest = z.infer<typeof qualityControlRequest>;
export type QualityControlDecision = z.infer<typeof qualityControlDecision>;
export type QualityControlPart = z.infer<typeof qualityControlPart>;
export type PlainQualityControlReceipt = z.infer<typeof qualityControlReceipt>;
export type LongQualityControlReceipt = z.infer<typeof longQualityControlReceipt>;
export type QualityControlReceipt = PlainQualityControlReceipt | LongQualityControlReceipt;
