import { z } from 'zod';
import { artifactId, operationId, toolIdentity } from '../base/artifact.ts';
import { contentId, count, identity, positive, range } from '../base/grammar.ts';
import { assessmentReference, decision, decisionReference, readReceiptId } from '../evidence/assessment.ts';
import { detectedKind, unavailableReason } from '../evidence/evidence.ts';
import { longestReading, readableKind } from '../evidence/evidence-read.ts';
import { pinnedEvidence } from '../sources/source-session.ts';

/** Largest stored study record, in bytes: two thousand stretches of coverage take less than half of it. */
export const maximumStudyRecordBytes = 1024 * 1024;

/** Everything that a study may have evidence of: what it detects itself, and what came with the source. */
export const evidenceKinds = [...detectedKind.options, ...pinnedEvidence.shape.kind.options] as const;
export const evidenceKind = z.enum(evidenceKinds);

/** One kind of evidence as the study had it; `tool` is null where evidence that came with the source names none. */
export const studyEvidence = z.discriminatedUnion('state', [
  z.strictObject({
    kind: evidenceKind,
    state: z.literal('available'),
    reasonCode: z.null(),
    artifactId,
    contentId,
    tool: toolIdentity.nullable(),
  }),
  z.strictObject({
    kind: evidenceKind,
    state: z.literal('unavailable'),
    reasonCode: unavailableReason,
    trackIndex: count.optional(),
    artifactId: z.null(),
    contentId: z.null(),
    tool: z.null(),
  }),
]);

export const studyRead = z.strictObject({
  operationId,
  receiptId: readReceiptId,
  receiptContentId: contentId,
  evidenceArtifactId: artifactId,
  evidenceKind: readableKind,
  startMs: count,
  endMs: positive,
  returnedItems: count,
  truncated: z.boolean(),
});

export const studyAssessment = assessmentReference.extend({ claimCount: positive });

export const studyDecision = decisionReference.extend(decision.shape);

/** Every state of a stretch of the range, and the reason code that a caption line over it would carry. */
export const coverageReasons = {
  supported: null,
  withheld: 'study_coverage_withheld',
  unknown: 'study_coverage_unknown',
  truncated: 'study_coverage_truncated',
  unavailable: 'study_coverage_unavailable',
  uncovered: 'study_coverage_uncovered',
} as const;

/**
 * One stretch of the range with its state by the claims: `uncovered` if no claim covers it, `unavailable` if there was no
 * evidence to read at all.
 */
export const coverage = z
  .strictObject({
    coverageId: z.string().regex(/^coverage:[a-f0-9]{64}$/),
    startMs: count,
    endMs: positive,
    state: z.enum(['supported', 'withheld', 'unknown', 'truncated', 'unavailable', 'uncovered']),
    reasonCode: z
      .enum([
        'study_coverage_withheld',
        'study_coverage_unknown',
        'study_coverage_truncated',
        'study_coverage_unavailable',
        'study_coverage_uncovered',
      ])
      .nullable(),
  })
  .refine(({ state, reasonCode }) => coverageReasons[state] === reasonCode, {
    message: 'the reason code is that of the state',
    path: ['reasonCode'],
  });

/**
 * All results of a study. `coverage` partitions the range in order of time; `studyId` is derived from everything but it
 * and `schema`.
 */
export const studyRecord = z.strictObject({
  schema: z.literal('studio.study-record.artifact.v1'),
  studyId: z.string().regex(/^study:[a-f0-9]{64}$/),
  runId: identity,
  sourceArtifactId: artifactId,
  analysisRequestId: identity,
  range,
  evidence: z.array(studyEvidence),
  reads: z.array(studyRead).max(longestReading.maxReads),
  assessments: z.array(studyAssessment),
  decision: studyDecision.nullable(),
  coverage: z.array(coverage).min(1),
});

export type StudyEvidence = z.infer<typeof studyEvidence>;
export type Coverage = z.infer<typeof coverage>;
export type CoverageState = Coverage['state'];
export type StudyRecord = z.infer<typeof studyRecord>;

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

/** The reasons why a study does not go to a reviewer, in the order of a list of reasons. */
export const gapReasons = ['hidden_gap', 'non_supported_root_coverage'] as const;

export const gapReason = z.enum(gapReasons);
export type GapReason = z.infer<typeof gapReason>;

/** The readiness of a study for a reviewer: it is ready exactly if its decision is to proceed. */
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
