import { z } from 'zod';
import { contentId, count, identity, positive, range } from '../base/grammar.ts';
import { artifactId, operationId } from '../base/operation.ts';
import { toolIdentity } from '../base/tool.ts';
import { detectedKind, unavailableReason } from '../evidence/evidence.ts';
import { readReceiptId } from '../evidence/evidence-assessment.ts';
import { assessmentReference, decision, decisionReference } from '../evidence/evidence-decision.ts';
import { readableKind } from '../evidence/evidence-read.ts';
import { longestReading } from '../evidence/reading-allowance.ts';
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
 * One stretch of the range and what the claims make of it: `uncovered` where none speaks of it, `unavailable` where there
 * was no evidence to read at all.
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
 * All that a study came to. `coverage` partitions the range in order of time; `studyId` is derived from everything but it
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
