import { z } from 'zod';
import { detectedKind, unavailableReason } from './evidence.ts';
import { readReceiptId } from './evidence-assessment.ts';
import { assessmentReference, decision, decisionReference } from './evidence-decision.ts';
import { readableKind, readLimits } from './evidence-read.ts';
import { contentId, count, identity, positive, range } from './grammar.ts';
import { artifactId, operationId } from './operation.ts';
import { pinnedEvidence } from './source-session.ts';
import { toolIdentity } from './tool.ts';

const kind = z.union([detectedKind, pinnedEvidence.shape.kind]);

/** One kind of evidence as the study had it; `tool` is null where evidence that came with the source names none. */
export const studyEvidence = z.discriminatedUnion('state', [
  z.strictObject({
    kind,
    state: z.literal('available'),
    reasonCode: z.null(),
    artifactId,
    contentId,
    tool: toolIdentity.nullable(),
  }),
  z.strictObject({
    kind,
    state: z.literal('unavailable'),
    reasonCode: unavailableReason,
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

const coverageSpan = {
  coverageId: z.string().regex(/^coverage:[a-f0-9]{64}$/),
  startMs: count,
  endMs: positive,
};

const gap = <const State extends string>(state: State) =>
  z.strictObject({
    ...coverageSpan,
    state: z.literal(state),
    reasonCode: z.literal(`study_coverage_${state}` as const),
  });

/** One stretch of the range and what the claims make of it. */
export const coverage = z.discriminatedUnion('state', [
  z.strictObject({ ...coverageSpan, state: z.literal('supported'), reasonCode: z.null() }),
  gap('withheld'),
  gap('unknown'),
  gap('truncated'),
  gap('unavailable'),
  gap('uncovered'),
]);

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
  reads: z.array(studyRead).max(readLimits.maxReads),
  assessments: z.array(studyAssessment),
  decision: studyDecision.nullable(),
  coverage: z.array(coverage).min(1),
});

export type StudyEvidence = z.infer<typeof studyEvidence>;
export type Coverage = z.infer<typeof coverage>;
export type CoverageState = Coverage['state'];
export type StudyRecord = z.infer<typeof studyRecord>;
