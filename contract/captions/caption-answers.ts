import { z } from 'zod';
import { artifactId } from '../base/artifact.ts';
import { failure } from '../base/errors.ts';
import { eventType } from '../base/event-envelope.ts';
import { contentId, identity, identityOf, range } from '../base/grammar.ts';
import { approvalReference } from '../review.ts';
import { runtimeId } from '../study/start.ts';
import { runtimeListFields } from '../study/status.ts';
import { readinessReference, studyReference } from '../study/study-record.ts';
import { captionExecutor, captionJobId } from './caption-line.ts';
import { captionMethodRows } from './caption-method.ts';
import {
  begunProduction,
  captionArtifact,
  captionChunk,
  captionCitations,
  captionInput,
  captionLimitsRecord,
  captionReceipt,
  captionReference,
  captionResult,
  longCaptionLimitsRecord,
  longCaptionReceipt,
  longCaptionRecord,
  longTranslatedCaptionReceipt,
  longTranslatedLimitsRecord,
  translatedCaptionReceipt,
  translatedLimitsRecord,
  wholeTranslatedCaptionReceipt,
  wholeTranslatedLimitsRecord,
} from './caption-production.ts';
import {
  longQualityControlReceipt,
  qualityControlCandidate,
  qualityControlPolicy,
  qualityControlReason,
  qualityControlReceipt,
} from './quality-control.ts';

const ids = z.array(z.string().min(1)).refine((list) => new Set(list).size === list.length, 'each id once');

/** One finished production, reopened with everything that it rests on. */
export const captionRow = z.strictObject({
  jobId: captionReference.shape.jobId,
  captionArtifactId: artifactId,
  captionContentId: contentId,
  receiptArtifactId: artifactId,
  receiptId: captionReference.shape.receiptId,
  receiptContentId: contentId,
  approval: approvalReference,
  source: z.strictObject({ artifactId, contentId, analysisRequestId: identity, range }),
  study: studyReference,
  readiness: readinessReference,
  reopened: z.strictObject({
    sourceArtifactIds: ids,
    semanticEvidenceArtifactIds: ids,
    reportArtifactIds: ids,
    admissionIds: ids,
    planningDecisionIds: ids,
    executorIds: ids,
  }),
  authorityState: z.enum(['unrevoked', 'revoked_after_completion']),
  integrity: z.literal('stored_caption_and_receipt_with_verified_study_readiness_approval'),
  executor: captionExecutor,
  result: captionResult,
});

/** The answer to `GET` and `POST …/caption-productions`. */
export const captionProductions = z.strictObject({
  schema: z.literal('studio.local-runtime-caption-productions.v1'),
  ...runtimeListFields,
  captions: z.array(captionRow),
});

/** The answer to `GET …/caption-production-results`: each production with its stored captions. */
export const captionProductionResults = z.strictObject({
  schema: z.literal('studio.local-runtime-caption-production-results.v1'),
  ...runtimeListFields,
  results: z.array(z.strictObject({ verification: captionRow, artifact: captionArtifact })),
});

/** The answer to `GET …/caption-productions/:jobId/chunks/:index`: some lines of long captions, as they are stored. */
export const captionChunkAnswer = z.strictObject({
  schema: z.literal('studio.local-runtime-caption-chunk.v1'),
  ...runtimeListFields,
  captions: longCaptionRecord,
  chunk: captionChunk,
  /** The records that have the reads which these lines cite; absent where `captions` has them itself. */
  citations: z.array(captionCitations).optional(),
});

export const qualityControlRow = z.strictObject({
  qcId: qualityControlReceipt.shape.qcId,
  jobId: qualityControlCandidate.shape.jobId,
  captionArtifactId: artifactId,
  captionContentId: contentId,
  outputArtifactId: artifactId,
  receiptId: qualityControlReceipt.shape.receiptId,
  receiptContentId: contentId,
  integrity: z.literal('stored_independent_qc_with_verified_current_run_candidate'),
  policy: z.literal(qualityControlPolicy),
  outcome: z.enum(['accepted', 'withheld']),
  reasonCodes: z.tuple([qualityControlReason]),
  acceptedLineIds: z.array(identityOf(200)),
  withheldLineIds: z.array(identityOf(200)),
  candidate: captionRow,
});

/** The answer to `GET` and `POST …/caption-quality-controls`. */
export const captionQualityControls = z.strictObject({
  schema: z.literal('studio.local-runtime-caption-quality-controls.v1'),
  ...runtimeListFields,
  qualityControls: z.array(qualityControlRow),
});

/** The answer to `GET …/caption-methods`: the ways to captions of a study. */
export const captionMethodList = z.strictObject({
  schema: z.literal('studio.local-runtime-caption-methods.v1'),
  runtimeId,
  ...captionMethodRows.shape,
});

export type CaptionMethodList = z.infer<typeof captionMethodList>;
export type CaptionChunkAnswer = z.infer<typeof captionChunkAnswer>;
export type CaptionRow = z.infer<typeof captionRow>;
export type CaptionProductions = z.infer<typeof captionProductions>;
export type CaptionProductionResults = z.infer<typeof captionProductionResults>;
export type QualityControlRow = z.infer<typeof qualityControlRow>;
export type CaptionQualityControls = z.infer<typeof captionQualityControls>;

/** The journal events of captions that were made of an approved study, and of their check. */
export const captionEvents = [
  eventType(
    'caption.production_started',
    'caption_production_host',
    z.strictObject({
      jobId: captionJobId,
      request: begunProduction,
      input: captionInput,
      limits: z.union([
        captionLimitsRecord,
        wholeTranslatedLimitsRecord,
        longCaptionLimitsRecord,
        translatedLimitsRecord,
        longTranslatedLimitsRecord,
      ]),
      executor: captionExecutor,
    }),
  ),
  eventType(
    'caption.production_completed',
    'caption_production_host',
    z.strictObject({
      jobId: captionJobId,
      captionArtifactId: artifactId,
      captionContentId: contentId,
      receiptArtifactId: artifactId,
      receiptContentId: contentId,
      receipt: z.discriminatedUnion('schema', [
        captionReceipt,
        wholeTranslatedCaptionReceipt,
        longCaptionReceipt,
        translatedCaptionReceipt,
        longTranslatedCaptionReceipt,
      ]),
    }),
  ),
  eventType(
    'caption.production_failed',
    'caption_production_host',
    z.strictObject({ jobId: captionJobId, reason: failure }),
  ),
  eventType(
    'caption.quality_control_decided',
    'caption_quality_control_host',
    z.strictObject({
      qcId: qualityControlReceipt.shape.qcId,
      outputArtifactId: artifactId,
      receiptContentId: contentId,
      receipt: z.discriminatedUnion('schema', [qualityControlReceipt, longQualityControlReceipt]),
    }),
  ),
] as const;
